import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { decodeDump } from '../../src/screen/tree/dump-text.ts'
import { type UiNode, attribute, findAppRoots, parseHierarchy } from '../../src/screen/tree/hierarchy.ts'
import { collectOnScreenNodes, findWindow } from '../../src/screen/matcher.ts'
import { takesTouch } from '../../src/screen/structure/node-kind.ts'

/** One dump of a folder with a folder for each app. */
export interface Tree {
  readonly file: string
  /** The folder of the dump. Dumps of one app lie together. */
  readonly app: string
  readonly toolkit: string
  /** Of the app's windows, in tree order. */
  readonly visible: readonly UiNode[]
  /** What takes a touch. */
  readonly touchable: readonly UiNode[]
  /** Packages of the windows that were taken for the app. */
  readonly packages: ReadonlySet<string>
  readonly windows: number
}

export interface Corpus {
  readonly trees: readonly Tree[]
  /** Files that cannot be read, with the reason. */
  readonly unread: readonly string[]
}

export function readCorpus(folder: string): Corpus {
  const toolkits = readToolkits(folder)
  const trees: Tree[] = []
  const unread: string[] = []
  for (const path of listDumps(folder)) {
    const file = relative(folder, path)
    const read = parseHierarchy(decodeDump(readFileSync(path)))
    if (!read.ok) {
      unread.push(`${file}: ${read.fault}`)
      continue
    }
    const roots = findAppRoots(read.hierarchy)
    const visible = collectOnScreenNodes(roots, findWindow(read.hierarchy))
    trees.push({
      file,
      app: dirname(file),
      toolkit: toolkits.get(file) ?? 'unknown',
      visible,
      touchable: visible.filter((node) => takesTouch(node)),
      packages: new Set(roots.map((root) => attribute(root, 'package'))),
      windows: read.hierarchy.roots.length,
    })
  }
  return { trees, unread }
}

function listDumps(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.xml'))
    .toSorted()
    .map((file) => join(folder, file))
}

/** The toolkit of each file, from `index.json` in the folder. */
function readToolkits(folder: string): Map<string, string> {
  const path = join(folder, 'index.json')
  if (!existsSync(path)) return new Map()
  const entries = JSON.parse(readFileSync(path, 'utf8')) as readonly {
    readonly file: string
    readonly toolkit: string
  }[]
  return new Map(entries.map(({ file, toolkit }) => [file, toolkit]))
}

/** What a person saw in a dump, by path of the node. Kept outside the project, like the dumps. */
export interface TreeLabels {
  /** Rows of data. */
  readonly data?: readonly string[]
  /** Members of navigation bars, choices, button strips and key pads. */
  readonly other?: readonly string[]
  /** Name of the page. Dumps of one app with the same name show the same page in other states. */
  readonly page?: string
}

export function readLabels(path: string | undefined): ReadonlyMap<string, TreeLabels> {
  if (path === undefined) return new Map()
  return new Map(Object.entries(JSON.parse(readFileSync(path, 'utf8')) as Record<string, TreeLabels>))
}
