package billing

// AccountID is our own number for an account. It never changes, whatever the account is renamed to.
type AccountID int64

// Account is one account at one cloud, or a store of imported bills that has no cloud behind it.
type Account struct {
	ID       AccountID
	Name     string   // unique; what people type
	Driver   string   // the cloud's folder under providers, "" for an account that is only imported
	VendorID string   // the cloud's own id of the account, from the first good read; "" until then
	Provider string   // the cloud's name as people know it, such as "RunPod"
	Currency Currency // what the cloud bills in; "" until known
	Stopped  Text     // why it is not polled (a token of another account, say); zero while it is
}
