import { buildApk } from './build-apk.ts'

export const SNAPSHOT_PACKAGE = 'com.callstack.agentdevice.snapshothelper'
export const IME_PACKAGE = 'com.callstack.agentdevice.imehelper'

/** APKs with the manifests of the two helpers. The simulated phone knows what the programs in them do. */
export async function buildHelperApks(versionCode = 21_005) {
  const versionName = '0.21.5'
  const snapshot = await buildApk({
    packageName: SNAPSHOT_PACKAGE,
    instrumentation: '.SnapshotInstrumentation',
    versionCode,
    versionName,
    testOnly: true,
  })
  const ime = await buildApk({
    packageName: IME_PACKAGE,
    inputMethod: '.TestInputMethodService',
    versionCode,
    versionName,
  })
  return { snapshot, ime }
}
