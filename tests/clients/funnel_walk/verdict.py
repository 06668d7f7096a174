"""Checks the result of a walk. It must be a Live listing, a demo, a founding seat and the whole product.

The archives of the product must contain the same files.
"""
import base64
import io
import json
import tarfile
import urllib.request
import zipfile
from dataclasses import dataclass

# The stages of a walk in their order, and a member that only the answer of that stage has.
STAGES = (("publish", "status_url"), ("Live", "checks_clean"), ("demo", "artifacts"), ("feedback", "access_token"),
          ("access", "granted_at"))


class Fault(Exception):
    """A missing or wrong part of the result."""


@dataclass
class Result:
    """The part of the result that is printed."""
    name: str
    files: int
    skills: int

    def __str__(self):
        return f"{self.name}: Live, demo, feedback, seat, {self.files} files, zip and tar.gz of them, skills: {self.skills}"


def demand(condition, fault):
    """Raises `Fault` if the condition is false."""
    if not condition:
        raise Fault(fault)


def judge(calls, folder, peer_kind):
    """Checks the calls of a walk and the files in its folder. Raises `Fault`."""
    answers = list(bare(call["answer"]) for call in calls)
    found = stages(answers)
    live, access = found["Live"], found["access"]
    demand((live["lane"], live["kind"]) == ("active", peer_kind), f"Live as {live['lane']} {live['kind']}, not {peer_kind}")
    product = {file["path"]: file["content"] for file in access["files"]}
    demand(product and all(content.strip() for content in product.values()), f"the product has empty files: {list(product)}")
    demand(any(live["name"] in content for content in product.values()), f"no file of the product names {live['name']}")

    trees = [answer for answer in answers if answer.get("format") == "skills"]
    archives = [base64.b64decode(answer["archive"]["base64"]) for answer in answers if answer.get("archive")]
    kept = [path.read_bytes() for path in folder.iterdir() if path.is_file() and path.suffix != ".json"]
    for url in found["feedback"]["access"]["export_urls"]:
        with urllib.request.urlopen(url, timeout=15) as response:
            kept.append(response.read())
    for content in kept:
        if content.startswith(b"{"):
            trees.append(json.loads(content))
        else:
            archives.append(content)
    demand(trees, "no tree of skills")
    skills = min(len(paths_of_skills(tree)) for tree in trees)
    demand(skills, "a tree of skills without a SKILL.md")
    forms = set()
    for archive in archives:
        form, files = unpacked(archive)
        forms.add(form)
        demand(files == product, f"the {form} holds {sorted(files)}, and the product {sorted(product)}")
    demand(forms == {"zip", "tar.gz"}, f"the archives have the formats {sorted(forms)}")
    return Result(live["name"], len(product), skills)


def bare(answer):
    """The answer of the operation without the envelope of A2A. The status of the listing replaces it if there is one."""
    return (answer.get("status") or answer["result"]) if "executed" in answer else answer


def stages(answers):
    """The last answer of each stage, in order. Over A2A the status is part of the answer to `list my agent`."""
    found, at = {}, 0
    for stage, member in STAGES:
        places = [place for place, answer in enumerate(answers) if answer.get(member) is not None and place >= at]
        if not places and stage == "publish":
            continue
        demand(places, f"the stage {stage} was not reached")
        at = places[-1]
        found[stage] = answers[at]
    return found


def paths_of_skills(tree):
    """The `SKILL.md` paths that a tree names. All of them must be in the list of its files."""
    paths = {file["path"] for file in tree["files"]}
    named = [skill["path"] for skill in tree["skills"]]
    demand(all(path in paths and path.endswith("/SKILL.md") for path in named), f"{named} are not all in {sorted(paths)}")
    return named


def unpacked(archive):
    """The format of an archive, and its files by path."""
    if archive.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            demand(opened.testzip() is None, "the zip is damaged")
            return "zip", {name: opened.read(name).decode() for name in opened.namelist() if not name.endswith("/")}
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:gz") as opened:
        return "tar.gz", {entry.name: opened.extractfile(entry).read().decode() for entry in opened if entry.isfile()}
