import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { BundleScan, type ScanOutcome } from '../../src/domain/skill-import/bundle-scan.ts'
import type { Surroundings } from '../../src/domain/skill-import/surroundings.ts'
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

/** A shelf in a folder of its own, for tests that need no daemon. */
export function aShelf(): { readonly home: string; readonly shelf: () => BundleShelf } {
  const home = mkdtempSync(join(tmpdir(), 'shelf-'))
  let shelf = new BundleShelf({ home })
  beforeAll(() => {
    shelf = new BundleShelf({ home })
  })
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
  await shelf.receive(ref, pieces(archive), archive.length)
  await shelf.keep(ref)
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

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}

export const codes = ({ report }: ScanOutcome): string[] => [
  ...new Set(report.findings.map(({ code }) => code)),
]
