import type { ApkFacts } from '../apk/apk.ts'
import { readAppDocument } from '../documents/app-document.ts'
import { createApp, toShortComponent } from './app.ts'
import type { Device } from './device.ts'
import { BUILT_IN_KEYBOARD } from './keyboard.ts'
import { stopApp } from './tasks.ts'

/** Installs what an APK describes. It opens as a blank screen; only known helpers do more. */
export function installPackage(device: Device, facts: ApkFacts): void {
  const { packageName } = facts
  const old = device.apps.get(packageName)
  stopPackage(device, packageName)
  const userId = old?.userId ?? FIRST_USER_ID + device.apps.size
  const app = createApp(describeBlankApp(facts), userId, device.clock.now())
  device.apps.set(packageName, { ...app, apk: facts, saved: old?.saved ?? app.saved })
  for (const name of facts.inputMethods) {
    const id = toShortComponent(packageName, name)
    if (!device.keyboard.installed.includes(id)) device.keyboard.installed.push(id)
  }
}

const FIRST_USER_ID = 10_200

/** Removes an app that was installed from an APK. Returns false if there is none. */
export function removePackage(device: Device, packageName: string): boolean {
  const facts = device.apps.get(packageName)?.apk
  if (facts === undefined) return false
  stopPackage(device, packageName)
  device.apps.delete(packageName)
  for (const name of facts.inputMethods) removeKeyboard(device, toShortComponent(packageName, name))
  return true
}

function stopPackage(device: Device, packageName: string): void {
  const app = device.apps.get(packageName)
  device.instrumentations.get(packageName)?.kill()
  if (app !== undefined) stopApp(device, app)
}

/** Android selects another keyboard when the selected one is removed. */
function removeKeyboard({ keyboard, settings }: Device, id: string): void {
  const at = keyboard.installed.indexOf(id)
  if (at !== -1) keyboard.installed.splice(at, 1)
  keyboard.enabled.delete(id)
  if (keyboard.current !== id) return
  keyboard.current = BUILT_IN_KEYBOARD
  settings.secure['default_input_method'] = BUILT_IN_KEYBOARD
}

function describeBlankApp({ packageName, versionCode, versionName, label, launcherActivity }: ApkFacts) {
  const reading = readAppDocument({
    package: packageName,
    // A label is text, not a template.
    label: label.replaceAll(/[{}]/g, ''),
    kind: launcherActivity === undefined ? 'system' : 'app',
    version: { name: versionName, code: Math.max(1, versionCode) },
    launch_screen: 'main',
    screens: { main: { activity: launcherActivity?.replaceAll('$', '_') ?? '.MainActivity', content: [] } },
  })
  if (!reading.ok) throw new Error(`${packageName} cannot be shown: ${reading.faults[0]?.reason ?? ''}`)
  return reading.document
}
