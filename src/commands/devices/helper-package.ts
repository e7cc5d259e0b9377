import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { HELPER_VERSION, PINNED_HELPERS } from '../../devices/driver/pinned-helpers.ts'
import { computeApkHash } from '../../devices/snapshot-helper/preparation.ts'
import { readTarEntry } from './tar-entry.ts'

const DOWNLOAD_TIMEOUT_MS = 120_000
const MAX_TAR_BYTES = 256 * 1024 * 1024

/** The APKs of the pinned version, from the registry that npm is configured for. Nothing of the package is installed or run. */
export async function downloadHelperApks(): Promise<Buffer[]> {
  const folder = await mkdtemp(join(tmpdir(), 'apprentice-helpers-'))
  try {
    const tar = gunzipSync(await packPackage(folder), { maxOutputLength: MAX_TAR_BYTES })
    return PINNED_HELPERS.map(({ path, sha256 }) => {
      const apk = readTarEntry(tar, `package/${path}`)
      if (apk !== undefined && computeApkHash(apk) === sha256) return apk
      throw new Error(`${path} of agent-device ${HELPER_VERSION} is missing or does not have the pinned SHA-256`)
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function packPackage(folder: string): Promise<Buffer> {
  const args = ['pack', `agent-device@${HELPER_VERSION}`, '--pack-destination', folder, '--ignore-scripts', '--silent']
  try {
    await promisify(execFile)('npm', args, { cwd: folder, timeout: DOWNLOAD_TIMEOUT_MS })
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    throw new Error(`agent-device ${HELPER_VERSION} could not be downloaded (${reason}); give its APKs with --apk`, {
      cause: error,
    })
  }
  const [file] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  if (file === undefined) throw new Error('npm wrote no package file')
  return readFile(join(folder, file))
}
