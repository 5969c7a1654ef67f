package notify

// Message is what people read, in one language, for any receiver: Slack, a terminal, a robot in another chat.
type Message struct {
	// Push is the plain first line, which decides alone: what, when, how much. A locked phone shows it. At most 80
	// characters, 36 in Chinese.
	Push   string  `json:"push"`
	Blocks []Block `json:"blocks"`
}

// Block is one piece of a message; the fields that its kind does not name stay zero.
type Block struct {
	Kind    BlockKind `json:"kind"`
	Text    Rich      `json:"text,omitempty"`    // section, context
	Menu    []Button  `json:"menu,omitempty"`    // section: choices behind one menu beside the text
	Table   *Table    `json:"table,omitempty"`   // table
	Buttons []Button  `json:"buttons,omitempty"` // actions
}

// BlockKind is what a block is.
type BlockKind string

// The kinds of blocks.
const (
	BlockSection BlockKind = "section"
	BlockDivider BlockKind = "divider"
	BlockTable   BlockKind = "table"
	BlockActions BlockKind = "actions"
	BlockContext BlockKind = "context" // small print: as of, rates, what was left out
)

// Table is a table of short cells.
type Table struct {
	Columns []Column `json:"columns"`
	Rows    [][]Rich `json:"rows"`
	Foot    [][]Rich `json:"foot,omitempty"` // totals
}

// Column heads a table; figures stand to the right.
type Column struct {
	Title string `json:"title"`
	Right bool   `json:"right,omitempty"`
}

// Button is a thing to press. URL buttons leave the chat; the others carry Action and Value back to the bot.
type Button struct {
	Label  string `json:"label"`
	Action string `json:"action,omitempty"` // "release", "stop", "keep", "take", "snooze", "run" (Value is a /gpu line)
	Value  string `json:"value,omitempty"`
	URL    string `json:"url,omitempty"`
	Style  Style  `json:"style,omitempty"`
}

// Words is what a reader without buttons types to do the same; "" where only a button can.
func (b Button) Words() string {
	switch b.Action {
	case "run":
		return "/gpu " + b.Value
	case "release", "stop":
		return "/gpu " + b.Action + " " + b.Value
	case "take":
		return "/gpu take " + Handle(b.Value)
	}
	return ""
}

// Style colours a button.
type Style string

// The styles.
const (
	StylePlain   Style = ""
	StylePrimary Style = "primary"
	StyleDanger  Style = "danger"
)

// Section, Context, Divider, Grid and Actions make blocks.
func Section(t Rich, menu ...Button) Block { return Block{Kind: BlockSection, Text: t, Menu: menu} }

// Context makes a block of small print.
func Context(t Rich) Block { return Block{Kind: BlockContext, Text: t} }

// Divider makes a line.
func Divider() Block { return Block{Kind: BlockDivider} }

// Grid makes a table.
func Grid(t Table) Block { return Block{Kind: BlockTable, Table: &t} }

// Actions makes a row of buttons.
func Actions(b ...Button) Block { return Block{Kind: BlockActions, Buttons: b} }
