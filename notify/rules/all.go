package rules

import "gpuspend/notify"

// All is the table of rules, in the order of the README. A new rule is a file and a line here.
func All() []notify.Rule {
	return []notify.Rule{
		balance(),
		budget(),
		counter(),
		drift(),
		expiry(),
		forgottenDisk(),
		forgottenIP(),
		forgottenSnapshot(),
		member(),
		stopped(),
		unexplained(),
		unreachable(),
	}
}
