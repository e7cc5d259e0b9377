import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** Our workspace packages by name, and the folders they are in. */
const PACKAGES: Readonly<Record<string, string>> = {
  '@apprentice/contracts/': 'contracts/',
  '@apprentice/phone/': 'src/phone/',
}

/** The TypeScript files of a folder, as paths from the root. The dashboard and the set-up are not TypeScript. */
export function listSources(root: string, folder: string): string[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    if (name === 'node_modules') return []
    const path = join(folder, name)
    if (statSync(join(root, path)).isDirectory()) return listSources(root, path)
    return path.endsWith('.ts') && !path.startsWith('src/dashboard/') ? [path] : []
  })
}

/** What a file imports: files of ours as paths from the root, anything else as it is written. */
export function listImports(root: string, file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const written = [
    ...text.matchAll(/(?:^|\n)(?:import|export)\s[^'"\n]*(?:\n[^'"\n]*)*?from '([^']+)'/g),
    ...text.matchAll(/import\('([^']+)'\)/g),
  ]
  return written.map((match) => resolveImport(root, file, match[1] ?? ''))
}

function resolveImport(root: string, file: string, target: string): string {
  for (const [name, folder] of Object.entries(PACKAGES)) {
    if (target.startsWith(name)) return folder + target.slice(name.length)
  }
  if (!target.startsWith('.')) return target
  const path = resolve(root, dirname(file), target)
  if (!existsSync(path)) throw new Error(`${file} imports ${target}, which does not exist`)
  return relative(root, path)
}

export type Graph = ReadonlyMap<string, readonly string[]>

/** Which file imports which, type imports included. */
export function readImportGraph(root: string, folders: readonly string[]): Graph {
  const files = folders.flatMap((folder) => listSources(root, folder))
  const known = new Set(files)
  return new Map(files.map((file) => [file, listImports(root, file).filter((target) => known.has(target))]))
}

/** The same graph between folders. */
export function toFolderGraph(graph: Graph): Graph {
  const folders = new Map<string, Set<string>>()
  for (const [file, targets] of graph) {
    const from = dirname(file)
    const known = folders.get(from) ?? new Set<string>()
    folders.set(from, known)
    for (const target of targets) if (dirname(target) !== from) known.add(dirname(target))
  }
  return new Map([...folders].map(([folder, targets]) => [folder, [...targets]]))
}

/** The groups of nodes that reach each other (Tarjan's strongly connected components of two or more). */
export function findCycles(graph: Graph): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const onStack = new Set<string>()
  const cycles: string[][] = []
  const visit = (node: string): void => {
    index.set(node, index.size)
    low.set(node, index.get(node) ?? 0)
    stack.push(node)
    onStack.add(node)
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next)
      if (onStack.has(next)) low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0))
    }
    if (low.get(node) !== index.get(node)) return
    const group = stack.splice(stack.indexOf(node))
    for (const member of group) onStack.delete(member)
    if (group.length > 1) cycles.push(group.toSorted())
  }
  for (const node of graph.keys()) if (!index.has(node)) visit(node)
  return cycles
}
