import { openBundleFile } from '../files/bundle-storage.ts'
import { BundleScan, type ScanOutcome } from '../knowledge/bundle-scan/bundle-scan.ts'
import type { ScanDeps } from '../knowledge/bundle-scan/scan-deps.ts'

export interface ScanProgress {
  readonly done: number
  readonly of: number
  readonly bytes: number
}

/** Scans a bundle file. Defects of the archive become findings. */
export async function scanBundleFile(
  { file, deps }: { readonly file: string; readonly deps: ScanDeps },
  report: (progress: ScanProgress) => void = () => {},
): Promise<ScanOutcome> {
  const scan = new BundleScan(deps)
  try {
    await scanFiles(file, scan, report)
  } catch (error) {
    if (!scan.recordError(error)) throw error
  }
  return scan.finish()
}

async function scanFiles(file: string, scan: BundleScan, report: (progress: ScanProgress) => void): Promise<void> {
  const bundle = await openBundleFile(file)
  try {
    const entries = scan.chooseEntries(bundle.entries, bundle.hidden_bytes)
    let bytes = 0
    for (const [done, entry] of entries.entries()) {
      const fileScan = scan.openFile(entry)
      for await (const chunk of bundle.unpack(entry)) {
        fileScan.push(chunk)
        bytes += chunk.length
      }
      scan.addFile(fileScan.finish())
      report({ done: done + 1, of: entries.length, bytes })
    }
  } finally {
    await bundle.close()
  }
}
