import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openBundleFile } from './bundle-storage.ts'
import type { ZipEntry } from './zip-directory.ts'

/** A file of a scenario. Its text is absent if it is too large or its kind is not read; it has bytes if it is not in UTF-8. */
export interface ReadScenarioFile {
  readonly path: string
  readonly bytes: number
  readonly text?: string
  readonly raw?: Uint8Array
}

export interface ScenarioBounds {
  readonly files: number
  readonly file_bytes: number
  readonly total_bytes: number
  readonly depth: number
}

const TEXT_ENDS = ['.html', '.htm', '.xhtml', '.js', '.mjs', '.cjs', '.json']
/** Folders that belong to tools and not to a scenario. */
const SKIPPED = new Set(['node_modules', '__MACOSX'])
/** More files than the bound are listed up to this number, so that the analysis can say that it stopped. */
const LISTED_BEYOND = 1

const isText = (path: string): boolean => TEXT_ENDS.some((end) => path.toLowerCase().endsWith(end))
const isSkipped = (name: string): boolean => name.startsWith('.') || SKIPPED.has(name)

/** Reads the folder of a scenario. Links are not followed. */
export async function readScenarioFolder(folder: string, bounds: ScenarioBounds): Promise<ReadScenarioFile[]> {
  const found: ReadScenarioFile[] = []
  const budget = { left: bounds.total_bytes }
  const open: { readonly path: string; readonly depth: number }[] = [{ path: '', depth: 0 }]
  while (open.length > 0) {
    const { path, depth } = open.shift() ?? { path: '', depth: 0 }
    const entries = await readdir(join(folder, path), { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`
      if (isSkipped(entry.name)) continue
      if (entry.isDirectory() && depth + 1 < bounds.depth) open.push({ path: inner, depth: depth + 1 })
      if (!entry.isFile()) continue
      if (found.length >= bounds.files + LISTED_BEYOND) return found
      found.push(await readScenarioFile(join(folder, inner), inner, { bounds, budget }))
    }
  }
  return found
}

interface Limits {
  readonly bounds: ScenarioBounds
  readonly budget: { left: number }
}

async function readScenarioFile(file: string, path: string, { bounds, budget }: Limits): Promise<ReadScenarioFile> {
  const { size } = await stat(file)
  if (!isText(path) || size > bounds.file_bytes || size > budget.left) return { path, bytes: size }
  budget.left -= size
  return { path, bytes: size, ...decode(await readFile(file)) }
}

/** Reads the files of a scenario from a zip file. A folder that contains all of them is left out of their paths. */
export async function readScenarioZip(file: string, bounds: ScenarioBounds): Promise<ReadScenarioFile[]> {
  const bundle = await openBundleFile(file)
  try {
    const chosen = bundle.entries.filter((entry) => isReadable(entry, bounds)).slice(0, bounds.files + LISTED_BEYOND)
    const prefix = findCommonFolder(chosen.map(({ path }) => path))
    const budget = { left: bounds.total_bytes }
    const found: ReadScenarioFile[] = []
    for (const entry of chosen) {
      const path = entry.path.slice(prefix.length)
      const fits = isText(path) && entry.size <= bounds.file_bytes && entry.size <= budget.left
      if (fits) budget.left -= entry.size
      const text = fits ? decode(await unpack(bundle.unpack(entry))) : {}
      found.push({ path, bytes: entry.size, ...text })
    }
    return found
  } finally {
    await bundle.close()
  }
}

/** Entries that are plain files inside the archive. Others are left out. */
function isReadable({ path, directory, linked, doubtful }: ZipEntry, { depth }: ScenarioBounds): boolean {
  const parts = path.split('/')
  const isInside = !path.startsWith('/') && !path.includes('\\') && parts.every((part) => part !== '..' && part !== '')
  return isInside && !directory && !linked && !doubtful && parts.length <= depth + 1 && !parts.some(isSkipped)
}

function findCommonFolder(paths: readonly string[]): string {
  const [first = ''] = paths
  const folder = first.includes('/') ? first.slice(0, first.indexOf('/') + 1) : ''
  return folder !== '' && paths.every((path) => path.startsWith(folder)) ? folder : ''
}

async function unpack(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const piece of pieces) parts.push(Buffer.from(piece))
  return Buffer.concat(parts)
}

function decode(bytes: Buffer): Pick<ReadScenarioFile, 'text' | 'raw'> {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    return { raw: bytes }
  }
}
