import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { BundleScan, type ScanOutcome } from '../../src/knowledge/bundle-scan/bundle-scan.ts'
import type { Surroundings } from '../../src/knowledge/bundle-scan/surroundings.ts'
import { BundleShelf } from '../../src/files/bundle-shelf.ts'

const none: ReadonlySet<string> = new Set()
export const nothing: Surroundings = {
  source: 'manual_upload',
  content_hash_sha256: 'ab12cd34'.repeat(8),
  skill_names: none,
  native_names: none,
  capability_ids: none,
  tool_names: none,
  namespaces: none,
  triggers: [],
  imported_before: false,
  packs: new Set(['general']),
  connectors: none,
  support_packs: none,
  blocked_terms: [],
}

const homes = new WeakMap<BundleShelf, string>()

/** A shelf in a folder of its own, for tests that need no daemon. */
export function aShelf(): { readonly home: string; readonly shelf: () => BundleShelf } {
  const home = mkdtempSync(join(tmpdir(), 'shelf-'))
  mkdirSync(join(home, 'imports', 'tmp'), { recursive: true })
  const shelf = new BundleShelf(home)
  homes.set(shelf, home)
  afterAll(() => rmSync(home, { recursive: true, force: true }))
  return { home, shelf: () => shelf }
}

/** Receives an archive and looks it through, as the job does. */
export async function lookThrough(
  shelf: BundleShelf,
  archive: Buffer,
  around: Partial<Surroundings> = {},
): Promise<ScanOutcome> {
  const ref = `tmpart_${randomUUID()}`
  // Written without the care an upload gets, which thousands of cases could not wait for.
  writeFileSync(join(homes.get(shelf) ?? '', 'imports', 'tmp', ref), archive)
  const scan = new BundleScan({ ...nothing, ...around })
  try {
    const bundle = await shelf.open(ref)
    try {
      for (const entry of scan.choose(bundle.entries, bundle.hidden_bytes)) {
        const file = scan.file(entry)
        for await (const piece of bundle.unpack(entry)) file.piece(piece)
        scan.taken(file.end())
      }
    } finally {
      await bundle.close()
    }
  } catch (error) {
    if (!scan.stop(error)) throw error
  } finally {
    await shelf.removeUpload(ref)
  }
  return scan.finish()
}

export const codes = ({ report }: ScanOutcome): string[] => [
  ...new Set(report.findings.map(({ code }) => code)),
]
