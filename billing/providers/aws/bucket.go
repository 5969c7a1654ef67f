package aws

import (
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/smithy-go/encoding/httpbinding"
)

// object is one object of a bucket, as a listing has it.
type object struct {
	Key          string    `xml:"Key"`
	LastModified time.Time `xml:"LastModified"`
	ETag         string    `xml:"ETag"`
	Size         int64     `xml:"Size"`
}

// bucket reads objects. Its name stands in the path: a dot in it would break the certificate's host.
type bucket struct {
	a            *account
	name, region string
}

func (b bucket) ask(ctx context.Context, action, key string, query url.Values, headers map[string]string) ([]byte, error) {
	return b.a.ask(ctx, asked{service: bucketService, signing: "s3", action: action, region: b.region, method: http.MethodGet,
		host: "s3." + b.region + ".amazonaws.com", path: httpbinding.EscapePath("/"+b.name+"/"+key, false), query: query, headers: headers})
}

// list names every object below a prefix.
func (b bucket) list(ctx context.Context, op, prefix string) ([]object, error) {
	return walk(ctx, op, func(token *string) ([]object, *string, error) {
		q := url.Values{"list-type": {"2"}, "prefix": {prefix}}
		if token != nil {
			q.Set("continuation-token", *token)
		}
		answer, err := b.ask(ctx, "ListObjectsV2", "", q, nil)
		if err != nil {
			return nil, nil, err
		}
		var out struct {
			XMLName   xml.Name `xml:"ListBucketResult"`
			Truncated bool     `xml:"IsTruncated"`
			Next      string   `xml:"NextContinuationToken"`
			Contents  []object `xml:"Contents"`
		}
		if err := xml.Unmarshal(answer, &out); err != nil {
			return nil, nil, garbled(op, "the answer is no listing of a bucket")
		}
		if out.Truncated && out.Next == "" {
			return nil, nil, garbled(op, "a listing is cut and says not where it goes on")
		}
		return out.Contents, aws.String(out.Next), nil
	})
}

// pieceSize is how much of an object is asked for at once, in bytes: parts of a bill may be larger than one answer.
const pieceSize = 16 << 20

// pieces reads an object from its beginning to its end, piece by piece. An object that is replaced meanwhile is refused.
type pieces struct {
	ctx  context.Context
	b    bucket
	of   object
	at   int64
	rest []byte
}

// Read gives the next bytes.
func (p *pieces) Read(into []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.at >= p.of.Size {
			return 0, io.EOF
		}
		end := min(p.at+pieceSize, p.of.Size)
		piece, err := p.b.ask(p.ctx, "GetObject", p.of.Key, nil, map[string]string{
			"Range": fmt.Sprintf("bytes=%d-%d", p.at, end-1), "If-Match": p.of.ETag})
		switch {
		case err != nil:
			return 0, err
		case int64(len(piece)) != end-p.at:
			return 0, cutOff("aws: read the export")
		}
		p.at, p.rest = end, piece
	}
	n := copy(into, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func (b bucket) read(ctx context.Context, o object) io.Reader { return &pieces{ctx: ctx, b: b, of: o} }

// keyOf takes the key out of an address such as s3://bucket/key; it must be of this bucket.
func (b bucket) keyOf(address string) (string, bool) {
	return strings.CutPrefix(address, "s3://"+b.name+"/")
}
