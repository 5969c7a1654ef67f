package focus

import "strings"

// A family is how the types of a cloud's machines begin, and the card they have.
type family struct{ prefix, gpu string }

// families lists machine types whose name does not say the card. The canonical names of cards are those of the catalog.
// Sources: EC2 DescribeInstanceTypes (2026-08), the instance families of Azure, Google Cloud, Oracle, Alibaba Cloud and
// Tencent Cloud. Longer prefixes stand before those they begin with.
func families() []family {
	return []family{
		// AWS
		{"p6-b300.", "B300"}, {"p6-b200.", "B200"}, {"p6e-gb200.", "GB200"}, {"p5en.", "H200"}, {"p5e.", "H200"}, {"p5.", "H100"},
		{"p4de.", "A100-80G"}, {"p4d.", "A100-40G"}, {"p3dn.", "V100-32G"}, {"p3.", "V100-16G"},
		{"g7e.", "RTX-PRO-6000"}, {"g7.", "RTX-PRO-4500"}, {"g6e.", "L40S"}, {"g6.", "L4"}, {"g6f.", "L4"}, {"gr6.", "L4"}, {"gr6f.", "L4"},
		{"g5g.", "T4G"}, {"g5.", "A10G"}, {"g4dn.", "T4"},
		// Azure
		{"standard_nd96asr_v4", "A100-40G"}, {"standard_nd96amsr_a100_v4", "A100-80G"}, {"standard_nd40rs_v2", "V100-32G"},
		{"standard_nc6s_v3", "V100-16G"}, {"standard_nc12s_v3", "V100-16G"}, {"standard_nc24s_v3", "V100-16G"}, {"standard_nc24rs_v3", "V100-16G"},
		{"standard_nc24ads_a100", "A100-80G"}, {"standard_nc48ads_a100", "A100-80G"}, {"standard_nc96ads_a100", "A100-80G"},
		{"standard_nc40ads_h100", "H100-NVL"}, {"standard_nc80adis_h100", "H100-NVL"},
		// Google Cloud
		{"a4-highgpu", "B200"}, {"a3-ultragpu", "H200"}, {"a3-highgpu", "H100"}, {"a3-megagpu", "H100"}, {"a3-edgegpu", "H100"},
		{"a2-ultragpu", "A100-80G"}, {"a2-highgpu", "A100-40G"}, {"a2-megagpu", "A100-40G"}, {"g4-standard", "RTX-PRO-6000"}, {"g2-standard", "L4"},
		// Oracle
		{"bm.gpu4.", "A100-40G"}, {"bm.gpu.a100-v2.", "A100-80G"}, {"vm.gpu3.", "V100-16G"}, {"bm.gpu3.", "V100-16G"},
		// Alibaba Cloud
		{"ecs.gn8is", "L20"}, {"ecs.ebmgn8is", "L20"}, {"ecs.ebmgn8ia", "L20"}, {"ecs.gn8v", "H20-96G"}, {"ecs.ebmgn8v", "H20-96G"},
		{"ecs.gn7e", "A100-80G"}, {"ecs.ebmgn7e", "A100-80G"}, {"ecs.gn7i", "A10"}, {"ecs.ebmgn7i", "A10"}, {"ecs.gn7s", "A30"},
		{"ecs.gn7-", "A100-40G"}, {"ecs.ebmgn7.", "A100-40G"}, {"ecs.gn6e", "V100-32G"}, {"ecs.ebmgn6e", "V100-32G"},
		{"ecs.gn6v", "V100-16G"}, {"ecs.ebmgn6v", "V100-16G"}, {"ecs.gn6i", "T4"}, {"ecs.ebmgn6i", "T4"}, {"ecs.gn5i", "P4"}, {"ecs.gn5-", "P100"},
		// Tencent Cloud
		{"gn10x", "V100-32G"}, {"gn8.", "P40"}, {"gn7.", "T4"}, {"gn6.", "P4"}, {"gn6s.", "P4"},
	}
}

// models lists how bills write a card's name once everything but letters and digits has become a space. Names that are
// also names of disks or CPU machines (Azure's P4 and P40) count only as "tesla …".
func models() []family {
	return []family{
		{"gb200", "GB200"}, {"b300", "B300"}, {"b200", "B200"}, {"gh200", "GH200"}, {"h200 nvl", "H200-NVL"}, {"h200", "H200"},
		{"h100 nvl", "H100-NVL"}, {"h100", "H100"}, {"h800", "H800"}, {"h20 141g", "H20-141G"}, {"h20 141gb", "H20-141G"}, {"h20", "H20-96G"},
		{"a100 80g", "A100-80G"}, {"a100 80gb", "A100-80G"}, {"a100 80", "A100-80G"}, {"a100 sxm4 80gb", "A100-80G"},
		{"a100 sxm 80gb", "A100-80G"}, {"a100 pcie 80gb", "A100-80G"}, {"a100 40g", "A100-40G"}, {"a100 40gb", "A100-40G"},
		{"a100 40", "A100-40G"}, {"a100 sxm4 40gb", "A100-40G"}, {"a100 pcie 40gb", "A100-40G"}, {"a100", "A100-ANY"}, {"a800", "A800-80G"},
		{"v100 32g", "V100-32G"}, {"v100 32gb", "V100-32G"}, {"v100 sxm2 32gb", "V100-32G"}, {"v100", "V100-16G"},
		{"l40s", "L40S"}, {"l40", "L40"}, {"l20", "L20"}, {"l4", "L4"}, {"t4", "T4"}, {"a10g", "A10G"}, {"a10", "A10"}, {"a30", "A30"},
		{"a40", "A40"}, {"p100", "P100"}, {"tesla p40", "P40"}, {"tesla p4", "P4"}, {"tesla m40", "M40"},
		{"rtx pro 6000", "RTX-PRO-6000"}, {"rtxpro6000bse", "RTX-PRO-6000"}, {"rtx pro 4500", "RTX-PRO-4500"},
		{"rtx 6000 ada", "RTX-6000-ADA"}, {"rtx 6000", "RTX-6000"}, {"rtx a6000", "RTX-A6000"}, {"a6000", "RTX-A6000"},
		{"rtx 5090", "RTX-5090"}, {"rtx 4090 d", "RTX-4090-D"}, {"rtx 4090d", "RTX-4090-D"}, {"rtx 4090 48g", "RTX-4090-48G"},
		{"rtx 4090", "RTX-4090"}, {"rtx 3090 ti", "RTX-3090-TI"}, {"rtx 3090", "RTX-3090"},
		{"mi300x", "MI300X"}, {"mi308x", "MI308X"}, {"ascend 910b", "ASCEND-910B"}, {"ascend 910", "ASCEND-910"}, {"ascend 310", "ASCEND-310"},
	}
}

// gpuOf finds the card in the words of a machine's row: by the type of machine, else by the card's own name.
func gpuOf(text string) string {
	text = strings.ToLower(text)
	for _, token := range strings.FieldsFunc(text, separates) {
		if gpu := byFamily(token); gpu != "" {
			return gpu
		}
	}
	plain := " " + strings.Map(letterOrDigit, text) + " "
	for _, m := range models() {
		if strings.Contains(plain, " "+m.prefix+" ") {
			return m.gpu
		}
	}
	return ""
}

func byFamily(token string) string {
	// Huawei's types, such as g5.8xlarge.4, begin like those of AWS and have other cards.
	if strings.Contains(token, "large.") {
		return ""
	}
	for _, f := range families() {
		if strings.HasPrefix(token, f.prefix) {
			return f.gpu
		}
	}
	return ""
}

func separates(r rune) bool { return strings.ContainsRune(" ,;:|()[]{}\"'/", r) }

func letterOrDigit(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return ' '
}
