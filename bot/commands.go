package bot

import "gpuspend/billing"

// Commands is the table of /gpu: help, the README's table and the role checks are made from it.
func Commands() []Command {
	return []Command{
		{Name: "status", Also: []string{"st", "状态", "概况", "现状"}, Role: Viewer, Run: status,
			Usage: "status", Summary: billing.Say("cmd.status"), Examples: []string{"status"}},
		{Name: "balance", Also: []string{"balances", "bal", "余额"}, Role: Viewer, Run: balance,
			Usage: "balance [ACCOUNT]", Summary: billing.Say("cmd.balance"), Examples: []string{"balance"}},
		{Name: "cost", Also: []string{"costs", "spend", "bill", "花费", "费用", "账单", "成本"}, Role: Viewer, Run: cost,
			Usage:   "cost [today|yesterday|7d|30d|month|YYYY-MM|FROM..TO] [billed|gross|amortised|cash] [by provider|account|service|part|region|resource|owner|project|gpu|mode|charge|day|week|month]… [where CUT=VALUE,…]",
			Summary: billing.Say("cmd.cost"),
			Examples: []string{"cost", "cost month by provider", "cost 7d by day", "cost 2026-11 by part by account",
				"cost 2026-11-01..2026-11-07 by resource", "cost month gross by owner", "cost 7d by gpu where provider=runpod owner=@ana"}},
		{Name: "forecast", Also: []string{"outlook", "预测", "月末"}, Role: Viewer, Run: forecast,
			Usage: "forecast", Summary: billing.Say("cmd.forecast"), Examples: []string{"forecast"}},
		{Name: "statement", Also: []string{"statements", "对账", "对账单"}, Role: Viewer, Run: statement,
			Usage: "statement [month|YYYY-MM|last month] [ACCOUNT]", Summary: billing.Say("cmd.statement"), Examples: []string{"statement", "statement 2026-11"}},
		{Name: "forgotten", Also: []string{"unused", "waste", "闲置", "忘记", "遗忘"}, Role: Viewer, Run: forgotten,
			Usage: "forgotten", Summary: billing.Say("cmd.forgotten"), Examples: []string{"forgotten"}},
		{Name: "release", Also: []string{"stop", "delete", "释放", "关机", "删除"}, Role: Operator, Run: releaseCommand,
			Usage: "release HANDLE", Summary: billing.Say("cmd.release"), Examples: []string{"release r-7k2f"}},
		{Name: "list", Also: []string{"ls", "resources", "列表", "清单", "资源"}, Role: Viewer, Run: list,
			Usage: "list [KIND|ACCOUNT|REGION|OWNER|GPU|STATE]", Summary: billing.Say("cmd.list"),
			Examples: []string{"list", "list disk", "list running"}},
		{Name: "expiring", Also: []string{"expires", "到期", "续费"}, Role: Viewer, Run: expiring,
			Usage: "expiring [30d]", Summary: billing.Say("cmd.expiring"), Examples: []string{"expiring", "expiring 60d"}},
		{Name: "keep", Also: []string{"保留"}, Role: Viewer, Run: keep,
			Usage: "keep HANDLE until DATE|30d|always because REASON", Summary: billing.Say("cmd.keep"),
			Examples: []string{"keep r-7k2f until 30d because paper rebuttal"}},
		{Name: "mine", Also: []string{"claim", "认领"}, Role: Viewer, Run: mine,
			Usage: "mine HANDLE", Summary: billing.Say("cmd.mine"), Examples: []string{"mine r-7k2f"}},
		{Name: "unowned", Also: []string{"orphans", "无主", "无人认领"}, Role: Viewer, Run: unowned,
			Usage: "unowned", Summary: billing.Say("cmd.unowned"), Examples: []string{"unowned"}},
		{Name: "alerts", Also: []string{"warnings", "告警", "警报", "提醒"}, Role: Viewer, Run: alerts,
			Usage: "alerts", Summary: billing.Say("cmd.alerts"), Examples: []string{"alerts"}},
		{Name: "take", Also: []string{"接手"}, Role: Viewer, Run: take,
			Usage: "take ALERT", Summary: billing.Say("cmd.take"), Examples: []string{"take a-nq6y"}},
		{Name: "snooze", Also: []string{"稍后"}, Role: Viewer, Run: snooze,
			Usage: "snooze ALERT 4h|3d|until DATE [because REASON]", Summary: billing.Say("cmd.snooze"),
			Examples: []string{"snooze a-nq6y 4h because top-up is on its way"}},
		{Name: "digest", Also: []string{"morning", "日报", "早报"}, Role: Viewer, Run: digest,
			Usage: "digest", Summary: billing.Say("cmd.digest"), Examples: []string{"digest"}},
		{Name: "help", Also: []string{"?", "h", "帮助", "命令"}, Role: Viewer, Run: help,
			Usage: "help [WORD]", Summary: billing.Say("cmd.help"), Examples: []string{"help", "help cost"}},
	}
}
