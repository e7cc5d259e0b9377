import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { BundleScan, type ScanOutcome } from '../../src/knowledge/bundle-scan/bundle-scan.ts'
import type { ScanDeps } from '../../src/knowledge/bundle-scan/scan-deps.ts'
import { BundleStorage } from '../../src/files/bundle-storage.ts'

const none: ReadonlySet<string> = new Set()
export const nothing: ScanDeps = {
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

const homes = new WeakMap<BundleStorage, string>()

/** A shelf in a folder of its own, for tests that need no daemon. */
export function aShelf(): { readonly home: string; readonly shelf: () => BundleStorage } {
  const home = mkdtempSync(join(tmpdir(), 'shelf-'))
  mkdirSync(join(home, 'imports', 'tmp'), { recursive: true })
  const shelf = new BundleStorage(home)
  homes.set(shelf, home)
  afterAll(() => rmSync(home, { recursive: true, force: true }))
  return { home, shelf: () => shelf }
}

/** Receives an archive and looks it through, as the job does. */
export async function lookThrough(
  shelf: BundleStorage,
  archive: Buffer,
  around: Partial<ScanDeps> = {},
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
