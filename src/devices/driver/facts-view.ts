import type { DeviceFacts as FactsView } from '@apprentice/contracts/devices/device.ts'
import type { DeviceFacts } from './device-facts.ts'

/** Converts the facts to the API form: flat, without unknown facts. */
export function toFacts(facts: DeviceFacts): FactsView {
  const all = {
    model: facts.model,
    manufacturer: facts.manufacturer,
    sdk: facts.sdk,
    android_version: facts.androidVersion,
    width: facts.size?.width,
    height: facts.size?.height,
    density_dpi: facts.densityDpi,
    rotation: facts.rotation,
    battery_level: facts.battery?.level,
    charging: facts.battery?.charging,
    awake: facts.awake,
    locked: facts.locked,
    foreground_package: facts.foreground?.package,
    foreground_activity: facts.foreground?.activity,
    locale: facts.locale,
    helpers: facts.helpers,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}
