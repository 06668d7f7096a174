// Follows the evidence log with the implementation of the Go checksum database (golang.org/x/mod/sumdb/note and tlog). It
// checks the signature, the cosignature of a witness, the consistency with the checkpoint of the last run, and every entry.
package main

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const tileHeight = 8
const tileWidth = 1 << tileHeight

// cosigner verifies the cosignatures of a witness (C2SP tlog-cosignature). The package note knows only plain signatures.
type cosigner struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func newCosigner(vkey string) (cosigner, error) {
	parts := strings.SplitN(vkey, "+", 3)
	if len(parts) != 3 {
		return cosigner{}, errors.New("the key of the witness has no three parts")
	}
	hash, err := strconv.ParseUint(parts[1], 16, 32)
	if err != nil {
		return cosigner{}, err
	}
	key, err := base64.StdEncoding.DecodeString(parts[2])
	if err == nil && (len(key) != 1+ed25519.PublicKeySize || key[0] != 4) {
		err = errors.New("the key of the witness is not of type 4")
	}
	if err != nil {
		return cosigner{}, err
	}
	return cosigner{parts[0], uint32(hash), key[1:]}, nil
}

func (c cosigner) Name() string    { return c.name }
func (c cosigner) KeyHash() uint32 { return c.hash }

func (c cosigner) Verify(msg, sig []byte) bool {
	if len(sig) != 8+ed25519.SignatureSize {
		return false
	}
	signed := fmt.Sprintf("cosignature/v1\ntime %d\n%s", binary.BigEndian.Uint64(sig), msg)
	return ed25519.Verify(c.key, []byte(signed), sig[8:])
}

// follower reads tiles. tlog.TileHashReader checks them against the signed root before it uses them.
type follower struct{ prefix string }

func (f follower) get(path string) ([]byte, error) {
	response, err := http.Get(f.prefix + path)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, response.Status, body)
	}
	return body, err
}

func (f follower) Height() int { return tileHeight }

func (f follower) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	data := make([][]byte, len(tiles))
	for i, tile := range tiles {
		// Paths of the checksum database contain the height. A tiled log has only one height.
		path := strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/", tileHeight), "/tile/", 1)
		body, err := f.get(path)
		if err != nil {
			return nil, err
		}
		data[i] = body
	}
	return data, nil
}

func (f follower) SaveTiles([]tlog.Tile, [][]byte) {}

// tree reads a signed checkpoint (C2SP tlog-checkpoint).
func tree(signed []byte, verifier note.Verifier) (tlog.Tree, error) {
	opened, err := note.Open(signed, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 3 || lines[0] != verifier.Name() {
		return tlog.Tree{}, errors.New("the checkpoint is not of this log")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	hash, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: hash}, err
}

// entries reads every entry of the tree.
func (f follower) entries(size int64) ([][]byte, error) {
	var all [][]byte
	for first := int64(0); first < size; first += tileWidth {
		tile := tlog.Tile{H: tileHeight, L: -1, N: first / tileWidth, W: int(min(tileWidth, size-first))}
		path := strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/data/", tileHeight), "/tile/entries/", 1)
		bundle, err := f.get(path)
		if err != nil {
			return nil, err
		}
		for len(bundle) > 0 {
			if len(bundle) < 2 || len(bundle)-2 < int(binary.BigEndian.Uint16(bundle)) {
				return nil, fmt.Errorf("%s is too short", path)
			}
			end := 2 + int(binary.BigEndian.Uint16(bundle))
			all, bundle = append(all, bundle[2:end]), bundle[end:]
		}
	}
	if int64(len(all)) != size {
		return nil, fmt.Errorf("found %d entries of %d", len(all), size)
	}
	return all, nil
}

// checkProof checks a proof that the registry provides.
func (f follower) checkProof(index int64, verifier note.Verifier, entry []byte) error {
	body, err := f.get(fmt.Sprintf("/proof?index=%d", index))
	if err != nil {
		return err
	}
	var answer struct {
		LeafText   string `json:"leaf_text"`
		Proof      []string
		Checkpoint string
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return err
	}
	if answer.LeafText != string(entry) {
		return fmt.Errorf("the proof of leaf %d has another text", index)
	}
	current, err := tree([]byte(answer.Checkpoint), verifier)
	if err != nil {
		return err
	}
	var proof tlog.RecordProof
	for _, text := range answer.Proof {
		hash, err := tlog.ParseHash(text)
		if err != nil {
			return err
		}
		proof = append(proof, hash)
	}
	return tlog.CheckRecord(proof, current.N, current.Hash, index, tlog.RecordHash(entry))
}

// checkPin compares a pinned tool set with the last entry of a listing that commits to a tool set.
func checkPin(entries [][]byte, listing, pin string) error {
	last := ""
	for _, entry := range entries {
		var leaf struct {
			ListingID string `json:"listing_id"`
			Tools     string
		}
		if err := json.Unmarshal(entry, &leaf); err != nil {
			return err
		}
		if leaf.ListingID == listing && leaf.Tools != "" {
			last = leaf.Tools
		}
	}
	if last != pin {
		return fmt.Errorf("%w: the last entry of %s commits to %s", errPin, listing, last)
	}
	return nil
}

var errPin = errors.New("the pin does not hold")

func follow(prefix, vkey, seen, witness, listing, pin string) error {
	f := follower{prefix}
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return err
	}
	signed, err := f.get("/checkpoint")
	if err != nil {
		return err
	}
	current, err := tree(signed, verifier)
	if err != nil {
		return err
	}
	if witness != "" {
		cosigner, err := newCosigner(witness)
		if err != nil {
			return err
		}
		opened, err := note.Open(signed, note.VerifierList(verifier, cosigner))
		if err != nil {
			return err
		}
		if len(opened.Sigs) != 2 {
			return fmt.Errorf("the checkpoint has %d of 2 signatures", len(opened.Sigs))
		}
	}
	hashes := tlog.TileHashReader(current, f)
	before := "no earlier checkpoint"
	if kept, err := os.ReadFile(seen); err == nil {
		earlier, err := tree(kept, verifier)
		if err != nil {
			return err
		}
		proof, err := tlog.ProveTree(current.N, earlier.N, hashes)
		if err != nil {
			return err
		}
		if err := tlog.CheckTree(proof, current.N, current.Hash, earlier.N, earlier.Hash); err != nil {
			return fmt.Errorf("the tree of size %d is not consistent with the tree of size %d: %w", current.N, earlier.N, err)
		}
		before = "size " + strconv.FormatInt(earlier.N, 10)
	}
	entries, err := f.entries(current.N)
	if err != nil {
		return err
	}
	for i, entry := range entries {
		index := int64(i)
		proof, err := tlog.ProveRecord(current.N, index, hashes)
		if err == nil {
			err = tlog.CheckRecord(proof, current.N, current.Hash, index, tlog.RecordHash(entry))
		}
		if err == nil && (index%64 == 0 || index == current.N-1) {
			err = f.checkProof(index, verifier, entry)
		}
		if err != nil {
			return fmt.Errorf("entry %d: %w", index, err)
		}
	}
	if listing != "" {
		if err := checkPin(entries, listing, pin); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d entries, consistent with %s\n", verifier.Name(), current.N, before)
	return os.WriteFile(seen, signed, 0o644)
}

func main() {
	if len(os.Args) < 4 || len(os.Args) > 7 {
		fmt.Fprintln(os.Stderr, "usage: log_client <prefix> <vkey> <file of the last checkpoint> [<vkey of a witness> [<listing id> <pinned tool set>]]")
		os.Exit(2)
	}
	arguments := append(os.Args[1:], make([]string, 7-len(os.Args))...)
	err := follow(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		if errors.Is(err, errPin) {
			os.Exit(3)
		}
		os.Exit(1)
	}
}
