import { createHash } from 'node:crypto'
import { PINNED_HELPERS, type PinnedHelper } from '../../src/devices/driver/pinned-helpers.ts'
import { buildApk } from './build-apk.ts'

export const SNAPSHOT_PACKAGE = 'com.callstack.agentdevice.snapshothelper'
export const IME_PACKAGE = 'com.callstack.agentdevice.imehelper'

export interface HelperApks {
  readonly snapshot: Buffer
  readonly ime: Buffer
}

/** APKs with the manifests of the two helpers. The simulated phone knows what the programs in them do. */
export async function buildHelperApks(versionCode = 21_005): Promise<HelperApks> {
  const version = { versionCode, versionName: '0.21.5' }
  const instrumentation = '.SnapshotInstrumentation'
  const snapshot = await buildApk({ packageName: SNAPSHOT_PACKAGE, instrumentation, testOnly: true, ...version })
  const ime = await buildApk({ packageName: IME_PACKAGE, inputMethod: '.TestInputMethodService', ...version })
  return { snapshot, ime }
}

/** The pinned helpers, with the hashes of built APKs in place of the real ones. */
export function pinBuiltApks({ snapshot, ime }: HelperApks): readonly PinnedHelper[] {
  return PINNED_HELPERS.map((helper) => {
    const apk = helper.name === 'snapshot' ? snapshot : ime
    return { ...helper, sha256: createHash('sha256').update(apk).digest('hex') }
  })
}
