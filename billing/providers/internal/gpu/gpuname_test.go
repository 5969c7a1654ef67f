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
		"H100 (80 GB SXM5)":                                 "H100",
		"A100 (40 GB SXM4)":                                 "A100-40G",
		"A10 (24 GB PCIe)":                                  "A10",
		"GH200 (96 GB)":                                     "GH200",
		"Tesla V100 (16 GB)":                                "V100-16G",
		"A6000 (48 GB)":                                     "RTX-A6000",
		"RTX 6000 (24 GB)":                                  "RTX-6000",
		"A100X":                                             "A100-ANY",
		"Q RTX 6000":                                        "RTX-6000",
		"RTX 6000Ada":                                       "RTX-6000-ADA",
		"RTX PRO 6000 WS":                                   "RTX-PRO-6000",
		"H100 SXM":                                          "H100",
	} {
		if got := Canonical(name); got != want {
			t.Errorf("Canonical(%q) = %q, want %q", name, got, want)
		}
		if again := Canonical(want); again != want {
			t.Errorf("Canonical(%q) = %q: a canonical name must stay as it is", want, again)
		}
	}
}

func TestSized(t *testing.T) {
	for _, tt := range []struct {
		name string
		mib  float64
		want string
	}{
		{"A100 SXM4", 81920, "A100-80G"},
		{"A100 PCIE", 81251, "A100-80G"}, // as a driver reports it
		{"A100 SXM4", 40536, "A100-40G"},
		{"A100X", 81920, "A100-80G"},
		{"A100 SXM4", 0, "A100-ANY"},
		{"A100 SXM4", 60000, "A100-ANY"}, // no size that is made
		{"Tesla V100", 32510, "V100-32G"},
		{"RTX 4090", 24564, "RTX-4090"},
		{"RTX 4090", 49140, "RTX-4090-48G"}, // a card with changed memory
		{"RTX A5000", 24564, "RTX-A5000"},   // one size: naming it would make a second name
		{"H100 SXM", 81559, "H100"},
	} {
		if got := Sized(tt.name, tt.mib); got != tt.want {
			t.Errorf("Sized(%q, %v) = %q, want %q", tt.name, tt.mib, got, tt.want)
		}
	}
}
