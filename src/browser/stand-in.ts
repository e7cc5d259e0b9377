import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'

export interface StandInAnswer {
  readonly status: number
  readonly content_type: string
  readonly body: Buffer
}

const NOT_FOUND: StandInAnswer = { status: 404, content_type: 'text/plain; charset=utf-8', body: Buffer.alloc(0) }
const MAX_FILE_BYTES = 32 * 1024 * 1024

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.xml': 'application/xml; charset=utf-8',
}

/**
 * Answers a request from the files of a stand-in: the path itself, with `.html`, with `.json`, or `index.html` in the
 * folder of that name. A path that leads out of the folder, also by a link, is not found.
 */
export async function answerFromStandIn(folder: string, url: string): Promise<StandInAnswer> {
  const path = decodePath(new URL(url).pathname)
  if (path === undefined) return NOT_FOUND
  const base = join(folder, path)
  const root = await realpath(folder)
  for (const file of [base, `${base}.html`, `${base}.json`, join(base, 'index.html')]) {
    const real = await realpath(file).catch(() => undefined)
    if (real === undefined || !real.startsWith(root + sep)) continue
    const found = await stat(real)
    if (!found.isFile() || found.size > MAX_FILE_BYTES) continue
    const content_type = CONTENT_TYPES[extname(real).toLowerCase()] ?? 'application/octet-stream'
    return { status: 200, content_type, body: await readFile(real) }
  }
  return NOT_FOUND
}

function decodePath(path: string): string | undefined {
  try {
    const decoded = decodeURIComponent(path)
    return decoded.includes('\0') ? undefined : decoded
  } catch {
    return undefined
  }
}
