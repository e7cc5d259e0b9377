import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { BundleScan, type ScanOutcome } from '../../src/knowledge/bundle-scan/bundle-scan.ts'
import type { ScanDeps } from '../../src/knowledge/bundle-scan/scan-deps.ts'
import { BundleStorage } from '../../src/files/bundle-storage.ts'

const NO_NAMES: ReadonlySet<string> = new Set()
export const EMPTY_DEPS: ScanDeps = {
  source: 'manual_upload',
  content_hash_sha256: 'ab12cd34'.repeat(8),
  skill_names: NO_NAMES,
  native_names: NO_NAMES,
  agent_names: NO_NAMES,
  capability_ids: NO_NAMES,
  tool_names: NO_NAMES,
  namespaces: NO_NAMES,
  triggers: [],
  imported_before: false,
  packs: new Set(['general']),
  connectors: NO_NAMES,
  support_packs: NO_NAMES,
  blocked_terms: [],
}

const homes = new WeakMap<BundleStorage, string>()

/** A storage in its own folder, for tests without a daemon. */
export function openStorage(): { readonly home: string; readonly storage: BundleStorage } {
  const home = mkdtempSync(join(tmpdir(), 'bundle-storage-'))
  mkdirSync(join(home, 'imports', 'tmp'), { recursive: true })
  const storage = new BundleStorage(home)
  homes.set(storage, home)
  afterAll(() => rmSync(home, { recursive: true, force: true }))
  return { home, storage }
}

/** Writes an archive without the checks and syncs of an upload, which would be slow for thousands of cases. */
function writeUpload(storage: BundleStorage, archive: Buffer): string {
  const ref = `tmpart_${randomUUID()}`
  writeFileSync(join(homes.get(storage) ?? '', 'imports', 'tmp', ref), archive)
  return ref
}

/** Unpacks all files of an archive, by path. */
export async function unpackArchive(storage: BundleStorage, archive: Buffer): Promise<Map<string, Buffer>> {
  const ref = writeUpload(storage, archive)
  const bundle = await storage.open(ref)
  try {
    const files = new Map<string, Buffer>()
    for (const entry of bundle.entries) {
      const chunks: Buffer[] = []
      for await (const chunk of bundle.unpack(entry)) chunks.push(Buffer.from(chunk))
      files.set(entry.path, Buffer.concat(chunks))
    }
    return files
  } finally {
    await bundle.close()
    await storage.removeUpload(ref)
  }
}

/** Scans an archive as the scan job does. */
export async function scanArchive(
  storage: BundleStorage,
  archive: Buffer,
  deps: Partial<ScanDeps> = {},
): Promise<ScanOutcome> {
  const ref = writeUpload(storage, archive)
  const scan = new BundleScan({ ...EMPTY_DEPS, ...deps })
  try {
    const bundle = await storage.open(ref)
    try {
      for (const entry of scan.chooseEntries(bundle.entries, bundle.hidden_bytes)) {
        const file = scan.openFile(entry)
        for await (const chunk of bundle.unpack(entry)) file.push(chunk)
        scan.addFile(file.finish())
      }
    } finally {
      await bundle.close()
    }
  } catch (error) {
    if (!scan.recordError(error)) throw error
  } finally {
    await storage.removeUpload(ref)
  }
  return scan.finish()
}

export const listCodes = ({ report }: ScanOutcome): string[] => [...new Set(report.findings.map(({ code }) => code))]
