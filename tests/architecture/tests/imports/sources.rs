//! The sources of a crate as modules and the names that each takes from another. Code of tests is left out; a name that
//! a module only hands on (`pub use`) counts as taken from where it is defined.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::path::Path;

use syn::visit::{self, Visit};
use syn::{Attribute, File, Item, Meta, UseTree, Visibility};

/// A name that one module takes from another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Use {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) name: String,
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}: {}", self.from, self.to, self.name)
    }
}

/// A crate, read.
pub(crate) struct Crate {
    /// Its modules that are files, by their path; the root is empty.
    pub(crate) files: BTreeMap<String, File>,
    /// Which takes what from which.
    pub(crate) uses: Vec<Use>,
    root: String,
}

/// A path as it is written, taken apart.
type Names = Vec<String>;

impl Crate {
    /// Reads the sources below a folder that holds `lib.rs`, or only `main.rs`.
    pub(crate) fn read(folder: &Path) -> Self {
        let mut files = BTreeMap::new();
        read_folder(folder, "", &mut files);
        let root = std::fs::read_to_string(folder.join("lib.rs")).unwrap_or_default();
        let mut sources = Self { files, uses: Vec::new(), root };
        let handed_on: HashMap<&str, Vec<(Names, String)>> =
            sources.files.iter().map(|(module, file)| (module.as_str(), handed_on(module, file))).collect();
        let mut uses = BTreeSet::new();
        for (module, file) in &sources.files {
            for path in named(module, file) {
                if let Some((to, name)) = sources.resolved(&path, &handed_on, 0)
                    && to != *module
                {
                    uses.insert(Use { from: module.clone(), to, name });
                }
            }
        }
        sources.uses = uses.into_iter().collect();
        sources
    }

    /// The module that defines what a path from the root of the crate names, and the name.
    fn resolved(
        &self,
        path: &[String],
        handed_on: &HashMap<&str, Vec<(Names, String)>>,
        depth: usize,
    ) -> Option<(String, String)> {
        let known =
            (1..=path.len()).rev().find(|length| self.files.contains_key(&path[..*length].join("::")))?;
        let module = path[..known].join("::");
        let Some(name) = path.get(known) else {
            let last = path.last().cloned().unwrap_or_default();
            return Some((module, last));
        };
        for (source, renamed) in handed_on.get(module.as_str()).into_iter().flatten() {
            let mut onward = source.clone();
            if renamed == "*" {
                onward.push(name.clone());
                let found = self.resolved(&onward, handed_on, depth + 1);
                if let Some(found) = found.filter(|(module, name)| depth < 4 && self.defines(module, name)) {
                    return Some(found);
                }
            } else if renamed == name && depth < 8 {
                return self.resolved(&onward, handed_on, depth + 1);
            }
        }
        let name = if name == "*" { "glob".to_owned() } else { name.clone() };
        Some((module, name))
    }

    fn defines(&self, module: &str, name: &str) -> bool {
        let file = &self.files[module];
        file.items.iter().any(|item| defined(item).is_some_and(|ident| ident == name))
    }

    /// The files that are compiled into nothing, because no other declares them.
    pub(crate) fn undeclared(&self) -> Vec<&str> {
        let declares = |file: &File, name: &str| {
            file.items.iter().any(|item| matches!(item, Item::Mod(declared) if declared.ident == name))
        };
        let orphan = |module: &&str| {
            let (parent, name) = module.rsplit_once("::").unwrap_or(("", module));
            // A package with both `lib.rs` and `main.rs` may declare a module of its root in either.
            let parents = [Some(parent), Some("main").filter(|_| parent.is_empty())];
            !parents
                .iter()
                .flatten()
                .filter_map(|parent| self.files.get(*parent))
                .any(|file| declares(file, name))
        };
        let roots = ["", "main"];
        let modules = self.files.keys().map(String::as_str).filter(|module| !roots.contains(module));
        modules.filter(orphan).collect()
    }

    /// On which floor each module of the root stands: in `lib.rs` a floor is a group of `pub mod` lines, and a blank line
    /// begins the next.
    pub(crate) fn floors(&self) -> BTreeMap<String, usize> {
        let mut floors = BTreeMap::new();
        let mut floor = 0;
        for group in self.root.split("\n\n") {
            let modules: Vec<&str> =
                group.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
            for module in &modules {
                floors.insert((*module).to_owned(), floor);
            }
            floor += usize::from(!modules.is_empty());
        }
        floors
    }
}

fn read_folder(folder: &Path, module: &str, files: &mut BTreeMap<String, File>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let below = if module.is_empty() { name.clone() } else { format!("{module}::{name}") };
        if path.is_dir() {
            read_folder(&path, &below, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let root =
                module.is_empty() && (name == "lib" || (name == "main" && !folder.join("lib.rs").exists()));
            files.insert(if root { String::new() } else { below }, file);
        }
    }
    let tests: Vec<String> = files.iter().flat_map(|(module, file)| test_modules(module, file)).collect();
    files.retain(|module, _| {
        !tests.iter().any(|test| module == test || module.starts_with(&format!("{test}::")))
    });
}

/// The modules that a file declares for tests only.
fn test_modules(module: &str, file: &File) -> Vec<String> {
    let declared = file.items.iter().filter_map(|item| match item {
        Item::Mod(declared) if is_test(&declared.attrs) => Some(declared.ident.to_string()),
        _ => None,
    });
    declared.map(|name| if module.is_empty() { name } else { format!("{module}::{name}") }).collect()
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

/// A path with `crate`, `self` and `super` taken as what they stand for in `module`.
fn absolute(module: &str, path: &[String]) -> Option<Names> {
    let mut base: Names = module.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => return Some(rest[1..].to_vec()),
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|first| first == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        _ => return None,
    }
    base.extend(rest.iter().cloned());
    Some(base)
}

/// Every path of a `use`, with the name under which it is known.
fn leaves(tree: &UseTree, before: &mut Names, found: &mut Vec<(Names, String)>) {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            leaves(&path.tree, before, found);
            before.pop();
        }
        UseTree::Name(name) if name.ident == "self" => {
            found.push((before.clone(), before.last().cloned().unwrap_or_default()));
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            found.push(([before.as_slice(), std::slice::from_ref(&name)].concat(), name));
        }
        UseTree::Rename(rename) => {
            let name = rename.ident.to_string();
            found.push(([before.as_slice(), &[name]].concat(), rename.rename.to_string()));
        }
        UseTree::Glob(_) => found.push(([before.as_slice(), &["*".to_owned()]].concat(), "*".to_owned())),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, before, found)),
    }
}

/// What a module hands on: where it is from, and under which name (`*` for all of a module).
fn handed_on(module: &str, file: &File) -> Vec<(Names, String)> {
    let mut found = Vec::new();
    for item in &file.items {
        if let Item::Use(item) = item
            && !matches!(item.vis, Visibility::Inherited)
        {
            let mut paths = Vec::new();
            leaves(&item.tree, &mut Names::new(), &mut paths);
            for (mut path, name) in paths {
                if name == "*" {
                    path.pop();
                }
                found.extend(within(module, file, &path).map(|path| (path, name)));
            }
        }
    }
    found
}

/// A path as one from the root of the crate; none where it leads to another crate.
fn within(module: &str, file: &File, path: &[String]) -> Option<Names> {
    let own_child = file.items.iter().any(|item| match item {
        Item::Mod(declared) => path.first().is_some_and(|first| declared.ident == first),
        _ => false,
    });
    if own_child {
        let own = std::iter::once("self".to_owned()).chain(path.iter().cloned()).collect::<Names>();
        return absolute(module, &own);
    }
    absolute(module, path)
}

/// Every path that a file names, from the root of the crate, but for what it only hands on.
fn named(module: &str, file: &File) -> Vec<Names> {
    let mut reader = Reader { module, file, known: HashMap::new(), found: Vec::new() };
    for item in &file.items {
        if let Item::Use(item) = item {
            let mut paths = Vec::new();
            leaves(&item.tree, &mut Names::new(), &mut paths);
            for (path, name) in paths {
                let Some(path) = within(module, file, &path) else { continue };
                reader.known.insert(name, path.clone());
                if matches!(item.vis, Visibility::Inherited) {
                    reader.found.push(path);
                }
            }
        }
    }
    for item in &file.items {
        reader.visit_item(item);
    }
    reader.found
}

struct Reader<'a> {
    module: &'a str,
    file: &'a File,
    /// What the file's own `use` lines call a path.
    known: HashMap<String, Names>,
    found: Vec<Names>,
}

impl Reader<'_> {
    fn note(&mut self, path: &[String]) {
        if path.len() < 2 {
            return;
        }
        let known = self.known.get(&path[0]).map(|known| [known.as_slice(), &path[1..]].concat());
        self.found.extend(known.or_else(|| within(self.module, self.file, path)));
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let tests = match item {
            Item::Mod(item) => is_test(&item.attrs),
            Item::Fn(item) => is_test(&item.attrs),
            Item::Impl(item) => is_test(&item.attrs),
            Item::Use(item) => is_test(&item.attrs) || !matches!(item.vis, Visibility::Inherited),
            _ => false,
        };
        if !tests {
            visit::visit_item(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.note(&names);
        visit::visit_path(self, path);
    }

    /// The paths among the tokens of a macro, which are no syntax yet.
    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        let text = item.tokens.to_string().replace(" :: ", "::");
        let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        for word in text.split(|c| !is_path(c)).filter(|word| word.contains("::")) {
            let names: Names = word.split("::").map(str::to_owned).collect();
            if names.iter().all(|name| !name.is_empty()) {
                self.note(&names);
            }
        }
        visit::visit_macro(self, item);
    }
}

/// The name of what an item defines.
fn defined(item: &Item) -> Option<&syn::Ident> {
    Some(match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    })
}
