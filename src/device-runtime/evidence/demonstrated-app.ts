import type { AppBuild } from '../../devices/driver/fact-parsers.ts'
import type { Store } from '../../store/db/db.ts'
import { type DemonstratedApp, findDemonstratedApp } from '../../store/capture/demonstrated-apps.ts'
import { findDevice } from '../../store/devices/devices.ts'

/** Reads the build of an app. Undefined if the device does not report it. */
export type ReadAppBuild = (serial: string, app: string) => Promise<AppBuild | undefined>

interface NewApp {
  readonly serial: string
  readonly learn_session_id: string
  readonly packageId: string
}

/** Reads the build of an app when a session observes it for the first time. */
export async function readNewApp(
  store: Store,
  { serial, learn_session_id, packageId }: NewApp,
  readAppBuild: ReadAppBuild,
): Promise<DemonstratedApp | undefined> {
  const app = packageId.slice(0, 80)
  const known = store.read((reader) => findDemonstratedApp(reader, learn_session_id, app) ?? null)
  if (app === '' || known !== null) return undefined
  const build = await readAppBuild(serial, app)
  const facts = store.read((reader) => findDevice(reader, serial)?.facts)
  return {
    learn_session_id,
    app,
    version_name: build?.versionName,
    version_code: build?.versionCode,
    android_api: facts?.sdk,
    device_model: facts?.model?.slice(0, 120),
    locale: facts?.locale?.slice(0, 35),
  }
}
