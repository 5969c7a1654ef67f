package vast

import (
	"bytes"
	"encoding/json"
	"strings"
)

// The answers of Vast.ai's API, as far as they are used. Types are narrow on purpose: extra_env, onstart, jupyter_token,
// ssh_key, api_key and the like are secrets of users and are never decoded.

// verdict is in every answer: Vast.ai refuses with status 200, too.
type verdict struct {
	Success *bool           `json:"success"`
	Error   json.RawMessage `json:"error"` // a word, or a sentence
}

// refused says that the answer is a refusal, with the cloud's word for it.
func (v verdict) refused() (string, bool) {
	return strings.ToLower(strings.Trim(string(v.Error), `"`)), v.Success != nil && !*v.Success
}

// cursor is the end of a page: where the next begins, and how many there are in all.
type cursor struct {
	Next  *string
	Total json.Number
}

type instancePage struct {
	verdict
	Instances *[]instance `json:"instances"`
	Total     json.Number `json:"total_instances"`
	Next      *string     `json:"next_token"`
}

type instance struct {
	ID          json.Number `json:"id"`
	Label       *string     `json:"label"`
	Actual      string      `json:"actual_status"`   // of the container; null while it is provisioned
	Current     string      `json:"cur_state"`       // of the contract, which is the hardware: running, stopped, unloaded
	Intended    string      `json:"intended_status"` // what the user wants
	Cards       json.Number `json:"num_gpus"`        // whole cards; gpu_frac is their share of the host's
	GPU         string      `json:"gpu_name"`
	CardMemory  json.Number `json:"gpu_ram"`  // MB, of one card
	Busy        json.Number `json:"gpu_util"` // percent, of all cards together; null where the host reports none
	CPUBusy     json.Number `json:"cpu_util"`
	Disk        json.Number `json:"disk_space"`         // GB
	Base        json.Number `json:"dph_base"`           // USD per hour, without the disk
	Whole       json.Number `json:"dph_total"`          // USD per hour, running, with the disk; stays so when stopped
	Storage     json.Number `json:"storage_total_cost"` // USD per hour for the disk
	StoragePer  json.Number `json:"storage_cost"`       // USD per GB and month
	Start       json.Number `json:"start_date"`         // unix seconds
	End         json.Number `json:"end_date"`           // unix seconds
	Bid         bool        `json:"is_bid"`             // interruptible
	Prepaid     json.Number `json:"credit_balance"`     // what is left of a reservation's deposit; null without one
	Geolocation string      `json:"geolocation"`
}

// instanceAnswer is a single instance; its field is null when there is none.
type instanceAnswer struct {
	verdict
	Instance json.RawMessage `json:"instances"`
}

type volumePage struct {
	verdict
	Volumes *[]volume `json:"volumes"`
}

type volume struct {
	ID          json.Number `json:"id"`
	Label       *string     `json:"label"`
	Status      string      `json:"status"`
	Disk        json.Number `json:"disk_space"`         // GB
	Storage     json.Number `json:"storage_total_cost"` // USD per hour
	Start       json.Number `json:"start_date"`
	Geolocation string      `json:"geolocation"`
	DiskName    string      `json:"disk_name"`
	Users       users       `json:"instances"`
}

// users are the instances that use a volume. Their form is documented as "object" only, so that ids are taken from
// numbers and from objects alike, and what has no id still counts as a user.
type users struct {
	told bool // the answer says who uses it, if only nobody
	n    int
	ids  []string
}

// UnmarshalJSON reads a list of numbers or objects; null is untold.
func (u *users) UnmarshalJSON(b []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(b, &list); err != nil || list == nil {
		return err
	}
	u.told, u.n = true, len(list)
	for _, entry := range list {
		var id json.Number
		if json.Unmarshal(entry, &id) != nil {
			var o struct {
				ID json.Number `json:"id"`
			}
			_ = json.Unmarshal(entry, &o) // no id of a kind that we know
			id = o.ID
		}
		if id != "" {
			u.ids = append(u.ids, id.String())
		}
	}
	return nil
}

type userAnswer struct {
	verdict
	ID      json.Number `json:"id"`
	Credit  json.Number `json:"credit"`
	Balance json.Number `json:"balance"`
}

type chargePage struct {
	verdict
	Results *[]charge   `json:"results"`
	Total   json.Number `json:"total"`
	Next    *string     `json:"next_token"`
}

// charge is what one contract cost within the window that was asked for. Its start and end are the contract's.
type charge struct {
	Type        string      `json:"type"`   // instance, volume
	Source      string      `json:"source"` // "instance-123"
	Description string      `json:"description"`
	Amount      json.Number `json:"amount"` // USD, rounded to three decimals
	Metadata    struct {
		Label string `json:"label"`
	} `json:"metadata"`
	Items []struct {
		Type        string      `json:"type"` // gpu, disk, bwd, bwu
		Description string      `json:"description"`
		Amount      json.Number `json:"amount"`
	} `json:"items"`
}

type offerPage struct {
	verdict
	Offers *offers `json:"offers"`
}

// offers is a list. The API's document declares one and shows a single object in its example, so that both are read.
type offers []offer

// UnmarshalJSON reads a list or a single offer.
func (o *offers) UnmarshalJSON(b []byte) error {
	if !bytes.HasPrefix(b, []byte("{")) {
		return json.Unmarshal(b, (*[]offer)(o))
	}
	var one offer
	if err := json.Unmarshal(b, &one); err != nil {
		return err
	}
	*o = offers{one}
	return nil
}

type offer struct {
	GPU        string      `json:"gpu_name"`
	Cards      json.Number `json:"num_gpus"`
	CardMemory json.Number `json:"gpu_ram"`   // MB
	Whole      json.Number `json:"dph_total"` // USD per hour for all cards, with the disk that was asked for
}

// bare is an answer of which only the verdict counts.
type bare struct{ verdict }
