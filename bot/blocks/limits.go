// Package blocks draws messages and forms as Slack's Block Kit, within Slack's limits.
package blocks

// Slack's limits, from its block reference. That of a whole message is not documented: about 13,200 characters answer
// msg_blocks_too_long. Characters are counted as UTF-16 units, the stricter of the two ways in which Slack may count.
const (
	maxBlocks      = 50
	maxFormBlocks  = 100
	maxMessage     = 12900
	maxText        = 4000 // the top-level text; Slack cuts at 40,000 and asks for fewer than 4,000
	maxSection     = 3000
	maxContext     = 3000
	maxButtons     = 25
	maxButtonText  = 75
	maxButtonValue = 2000
	maxURL         = 3000
	maxMenu        = 5
	maxOptionText  = 75
	maxOptionValue = 150
	maxOptions     = 10 // radio buttons and checkboxes
	maxLabel       = 2000
	maxID          = 255
	maxTitle       = 24 // also of a modal's buttons
	maxPrivate     = 3000
	maxPlaceholder = 150

	maxTableRows    = 100 // the heading included
	maxTableColumns = 20
	maxTableText    = 9900
	maxCell         = 500
)
