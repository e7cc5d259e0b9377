/** A program of the npm package `agent-device` that is installed on a phone. */
export interface PinnedHelper {
  readonly name: 'snapshot' | 'keyboard'
  readonly packageName: string
  readonly versionCode: number
  /** The class that is started, or the keyboard that is selected. */
  readonly component: string
  /** Its place in the package. */
  readonly path: string
  readonly sha256: string
}

/** The version whose protocols this program speaks. A new version is pinned here after it was tried. */
export const HELPER_VERSION = '0.21.5'

/** The setting of a phone that says with which version it was prepared. Others may have installed the helpers too. */
export const PREPARED_SETTING = 'apprentice_helpers'

export const SNAPSHOT_HELPER: PinnedHelper = {
  name: 'snapshot',
  packageName: 'com.callstack.agentdevice.snapshothelper',
  versionCode: 21_005,
  component: 'com.callstack.agentdevice.snapshothelper/.SnapshotInstrumentation',
  path: `android/snapshot-helper/dist/agent-device-android-snapshot-helper-${HELPER_VERSION}.apk`,
  sha256: 'e77b65f51664e95680379cd1a5c8331926b63cf506261df56151854673787514',
}

export const KEYBOARD_HELPER: PinnedHelper = {
  name: 'keyboard',
  packageName: 'com.callstack.agentdevice.imehelper',
  versionCode: 21_005,
  component: 'com.callstack.agentdevice.imehelper/.TestInputMethodService',
  path: `android/ime-helper/dist/agent-device-android-ime-helper-${HELPER_VERSION}.apk`,
  sha256: '2b8fe19f9cf38877dbc4e0bd9400e4d1aebc7b8c2f6063e04f5f198d1564c08d',
}

export const PINNED_HELPERS: readonly PinnedHelper[] = [SNAPSHOT_HELPER, KEYBOARD_HELPER]
