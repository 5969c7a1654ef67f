package blocks

import "strings"

// menuAction is the action id of a menu; its choices carry their own action in their value.
const menuAction = "menu"

// Pressed reads what was pressed: the bot's action and its value, from an action id and value as Message wrote them.
// The action is "" for what only leads to an address.
func Pressed(actionID, value string) (action, val string) {
	action, _, _ = strings.Cut(actionID, "#")
	switch action {
	case menuAction:
		action, val, _ = strings.Cut(value, " ")
	case openAction:
		return "", ""
	default:
		val = value
	}
	if action == openAction {
		return "", ""
	}
	return action, val
}

// openAction is the action id of a button that leaves Slack; Slack reports it all the same.
const openAction = "open"
