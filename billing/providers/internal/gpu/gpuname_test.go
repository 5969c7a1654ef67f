package gpu

import "testing"

func TestCanonical(t *testing.T) {
	for name, want := range map[string]string{
		"":                               "",
		"NVIDIA A100 80GB PCIe":          "A100-80G",
		"NVIDIA A100-SXM4-80GB":          "A100-80G",
		"A100_80G":                       "A100-80G",
		"a100 80gb":                      "A100-80G",
		"A100-80":                        "A100-80G",
		"NVIDIA A100-PCIE-40GB":          "A100-40G",
		"A100":                           "A100-ANY",
		"A100 SXM4":                      "A100-ANY",
		"NVIDIA H100 80GB HBM3":          "H100",
		"NVIDIA H100 PCIe":               "H100",
		"NVIDIA H100 NVL":                "H100-NVL",
		"H200NVL":                        "H200-NVL",
		"NVIDIA H200":                    "H200",
		"NVIDIA B300 SXM6 AC":            "B300",
		"NVIDIA GeForce RTX 4090":        "RTX-4090",
		"RTX_4090":                       "RTX-4090",
		"4090":                           "RTX-4090",
		"RTX_4090 48G":                   "RTX-4090-48G",
		"RTX 4090D 24GB":                 "RTX-4090-D",
		"RTX3090Ti":                      "RTX-3090-TI",
		"NVIDIA RTX A6000":               "RTX-A6000",
		"NVIDIA RTX 6000 Ada Generation": "RTX-6000-ADA",
		"Quadro RTX 6000":                "RTX-6000",
		"NVIDIA RTX PRO 6000 Blackwell Server Edition":      "RTX-PRO-6000",
		"NVIDIA RTX PRO 6000 Blackwell Workstation Edition": "RTX-PRO-6000",
		"Tesla V100-SXM2-32GB":                              "V100-32G",
		"Tesla V100-FHHL-16GB":                              "V100-16G",
		"NVIDIA L40S":                                       "L40S",
		"L40":                                               "L40",
		"NVIDIA A10":                                        "A10",
		"A10 24G":                                           "A10",
		"AMD Instinct MI300X OAM":                           "MI300X",
		"昇腾910B":                                            "ASCEND-910B",
		"Ascend 310":                                        "ASCEND-310",
		"H20 96GB":                                          "H20-96G",
		"NVIDIA RTX A4000":                                  "RTX-A4000",
		"NVIDIA RTX 4000 Ada Generation":                    "RTX-4000-ADA",
		"NVIDIA GeForce RTX 4080 SUPER":                     "RTX-4080-SUPER",
	} {
		if got := Canonical(name); got != want {
			t.Errorf("Canonical(%q) = %q, want %q", name, got, want)
		}
		if again := Canonical(want); again != want {
			t.Errorf("Canonical(%q) = %q: a canonical name must stay as it is", want, again)
		}
	}
}
