package gpu

import "strings"

// alias is how a word of one cloud begins, and the card that it means there.
type alias struct{ begins, model string }

// At is Canonical for a word of one cloud, which may be a type of machine or its family, or a name that means one card
// there and several elsewhere: "gn7" is an A100 at Alibaba and a T4 at Tencent, "g5" an A10G at AWS and nothing of the
// kind at Huawei. cloud is a driver's name, or "gcp", "azure", "oci", "tencent", "skypilot", "nvidia-smi".
func At(cloud, name string) string {
	plain := strings.ToLower(strings.TrimSpace(name))
	if cloud == "alibaba" {
		plain = strings.TrimPrefix(strings.TrimPrefix(plain, "ecs."), "ebm")
	}
	for _, a := range aliases(cloud) {
		if rest, ok := strings.CutPrefix(plain, a.begins); ok && (rest == "" || !letterOrDigit(rest[0])) {
			return a.model
		}
	}
	return Canonical(name)
}

func letterOrDigit(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// aliases lists what holds at one cloud only. Sources: the clouds' own pages of machine types, SkyPilot's catalogue,
// gpuhunt; the families that share a name between clouds are why each stands under its own.
func aliases(cloud string) []alias {
	switch cloud {
	case "aws":
		return []alias{{"p6-b300", "B300"}, {"p6-b200", "B200"}, {"p5en", "H200"}, {"p5e", "H200"}, {"p5", "H100"},
			{"p4de", "A100-80G"}, {"p4d", "A100-40G"}, {"p3dn", "V100-32G"}, {"p3", "V100-16G"}, {"g7e", "RTX-PRO-6000"},
			{"rtx-pro-server-6000", "RTX-PRO-6000"}, {"rtx pro server 6000", "RTX-PRO-6000"}, {"g7", "RTX-PRO-4500"},
			{"g6e", "L40S"}, {"g6", "L4"}, {"gr6", "L4"}, {"g5g", "T4G"}, {"t4g", "T4G"}, {"g5", "A10G"}, {"g4dn", "T4"}}
	case "alibaba":
		return []alias{{"gn8is", "L20"}, {"gn8ia", "L20"}, {"gn7ex", "A100-80G"}, {"gn7e", "A100-80G"}, {"gn7ix", "A10"}, {"gn7i", "A10"},
			{"vgn7i", "A10"}, {"sgn7i", "A10"}, {"gn7s", "A30"}, {"gn7", "A100-40G"}, {"gn6i", "T4"}, {"vgn6i", "T4"},
			{"gn6v", "V100-16G"}, {"gn6e", "V100-32G"}, {"gn5i", "P4"}, {"gn5", "P100"}}
	case "tencent":
		return []alias{{"gt4", "A100-40G"}, {"gn10xp", "V100-32G"}, {"gn10x", "V100-32G"}, {"gn8", "P40"}, {"gn7", "T4"},
			{"gn6s", "P4"}, {"gn6", "P4"}, {"gn2", "M40"}}
	case "gcp":
		return []alias{{"a4-highgpu", "B200"}, {"a3-ultragpu", "H200"}, {"a3-highgpu", "H100"}, {"a3-megagpu", "H100"},
			{"a2-ultragpu", "A100-80G"}, {"a2-highgpu", "A100-40G"}, {"a2-megagpu", "A100-40G"}, {"nvidia-a100-80gb", "A100-80G"},
			{"nvidia-tesla-a100-80gb", "A100-80G"}, {"nvidia-tesla-a100", "A100-40G"}, {"nvidia-tesla-v100", "V100-16G"},
			{"g4-standard", "RTX-PRO-6000"}, {"g2-standard", "L4"}}
	case "azure":
		return []alias{{"standard_nc24ads_a100_v4", "A100-80G"}, {"standard_nd96amsr_a100_v4", "A100-80G"}, {"standard_nd96asr_v4", "A100-40G"},
			{"standard_nd96isr_h100_v5", "H100"}, {"standard_nc40ads_h100_v5", "H100-NVL"}, {"standard_nc80adis_h100_v5", "H100-NVL"},
			{"standard_nd96isr_h200_v5", "H200"}, {"standard_nd128isr_ndr_gb200_v6", "GB200"}, {"standard_nv36ads_a10_v5", "A10"},
			{"standard_nc16ads_a10_v4", "A10"}, {"standard_nc4as_t4_v3", "T4"}, {"standard_nc6s_v3", "V100-16G"}, {"standard_nd40rs_v2", "V100-32G"},
			{"standard_nc144ds_xl_rtxpro6000bse_v6", "RTX-PRO-6000"}, {"standard_nd96isr_mi300x_v5", "MI300X"}}
	case "oci":
		return []alias{{"bm.gpu.a100-v2", "A100-80G"}, {"bm.gpu4", "A100-40G"}, {"bm.gpu.h100", "H100"}, {"vm.gpu.a10", "A10"},
			{"bm.gpu.a10", "A10"}, {"vm.gpu3", "V100-16G"}, {"bm.gpu3", "V100-16G"}}
	case "skypilot": // its bare names are the smaller card
		return []alias{{"a100-80gb", "A100-80G"}, {"a100", "A100-40G"}, {"a800", "A800-80G"}, {"v100-32gb", "V100-32G"}, {"v100", "V100-16G"}}
	case "nvidia-smi":
		return []alias{{"nvidia h20", "H20-96G"}}
	}
	return nil
}
