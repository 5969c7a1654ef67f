package aws

// gpuTable is one line a type: name, card, cards, MiB of one card (0 for unknown), and the on-demand price of Linux in
// us-east-1, "" for unknown. A share of a card stands as what it is: DescribeInstanceTypes counts it as 0 cards.
//
// The types are a dump of DescribeInstanceTypes (moto, 2026-08-02); p3 but p3dn, and p6e-gb200, are from AWS's pages.
// The prices are AWS's price list as Karpenter's source carries it (2026-07-20).
const gpuTable = `
g4ad.16xlarge|Radeon Pro V520|4|8192|
g4ad.2xlarge|Radeon Pro V520|1|8192|
g4ad.4xlarge|Radeon Pro V520|1|8192|
g4ad.8xlarge|Radeon Pro V520|2|8192|
g4ad.xlarge|Radeon Pro V520|1|8192|
g4dn.12xlarge|T4|4|16384|3.912
g4dn.16xlarge|T4|1|16384|4.352
g4dn.2xlarge|T4|1|16384|0.752
g4dn.4xlarge|T4|1|16384|1.204
g4dn.8xlarge|T4|1|16384|2.176
g4dn.metal|T4|8|16384|7.824
g4dn.xlarge|T4|1|16384|0.526
g5.12xlarge|A10G|4|22888|5.672
g5.16xlarge|A10G|1|22888|4.096
g5.24xlarge|A10G|4|22888|8.144
g5.2xlarge|A10G|1|22888|1.212
g5.48xlarge|A10G|8|22888|16.288
g5.4xlarge|A10G|1|22888|1.624
g5.8xlarge|A10G|1|22888|2.448
g5.xlarge|A10G|1|22888|1.006
g5g.16xlarge|T4g|2|16384|2.744
g5g.2xlarge|T4g|1|16384|0.556
g5g.4xlarge|T4g|1|16384|0.828
g5g.8xlarge|T4g|1|16384|1.372
g5g.metal|T4g|2|16384|2.744
g5g.xlarge|T4g|1|16384|0.42
g6.12xlarge|L4|4|22888|4.6016
g6.16xlarge|L4|1|22888|3.3968
g6.24xlarge|L4|4|22888|6.6752
g6.2xlarge|L4|1|22888|0.9776
g6.48xlarge|L4|8|22888|13.3504
g6.4xlarge|L4|1|22888|1.3232
g6.8xlarge|L4|1|22888|2.0144
g6.xlarge|L4|1|22888|0.8048
g6e.12xlarge|L40S|4|45776|10.49264
g6e.16xlarge|L40S|1|45776|7.57719
g6e.24xlarge|L40S|4|45776|15.06559
g6e.2xlarge|L40S|1|45776|2.24208
g6e.48xlarge|L40S|8|45776|30.13118
g6e.4xlarge|L40S|1|45776|3.00424
g6e.8xlarge|L40S|1|45776|4.52856
g6e.xlarge|L40S|1|45776|1.861
g6f.2xlarge|L4|0.25|5722|
g6f.4xlarge|L4|0.5|11444|
g6f.large|L4|0.125|2861|
g6f.xlarge|L4|0.125|2861|
g7.12xlarge|RTX PRO 4500|2|32768|7.12832
g7.24xlarge|RTX PRO 4500|4|32768|14.25664
g7.2xlarge|RTX PRO 4500|1|32768|2.52
g7.48xlarge|RTX PRO 4500|8|32768|28.51328
g7.4xlarge|RTX PRO 4500|1|32768|3.04208
g7.8xlarge|RTX PRO 4500|1|32768|4.08624
g7e.12xlarge|RTX PRO Server 6000|2|98304|8.28608
g7e.24xlarge|RTX PRO Server 6000|4|98304|16.57216
g7e.2xlarge|RTX PRO Server 6000|1|98304|3.36312
g7e.48xlarge|RTX PRO Server 6000|8|98304|33.14432
g7e.4xlarge|RTX PRO Server 6000|1|98304|3.99816
g7e.8xlarge|RTX PRO Server 6000|1|98304|5.26824
gr6.4xlarge|L4|1|22888|1.5392
gr6.8xlarge|L4|1|22888|2.4464
gr6f.4xlarge|L4|0.5|11444|
p3.16xlarge|V100|8|16384|24.48
p3.2xlarge|V100|1|16384|3.06
p3.8xlarge|V100|4|16384|12.24
p3dn.24xlarge|V100|8|32768|31.212
p4d.24xlarge|A100|8|40960|21.957642
p4de.24xlarge|A100|8|81920|27.44705
p5.48xlarge|H100|8|81920|55.04
p5.4xlarge|H100|1|81920|6.88
p5e.48xlarge|H200|8|144384|
p5en.48xlarge|H200|8|144384|63.296
p6-b200.48xlarge|B200|8|183359|113.9328
p6-b300.48xlarge|B300|8|275040|142.416
p6e-gb200.36xlarge|GB200|4|0|
`
