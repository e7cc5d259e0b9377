import type { InstalledApp } from '@apprentice/contracts/devices/apps.ts'
import type { Launchable } from '../../devices/driver/fact-parsers.ts'
import { nameApp } from '../../knowledge/text/app-name.ts'

/** One entry per app, by name. An app may have several activities that start it. */
export function listInstalledApps(found: readonly Launchable[]): InstalledApp[] {
  const labels = new Map<string, string>()
  for (const { package: id, label } of found) {
    const name = label?.trim() ?? ''
    if (!labels.has(id) || labels.get(id) === '') labels.set(id, name)
  }
  return [...labels]
    .map(([application_id, label]) => ({ application_id, label: label === '' ? nameApp(application_id) : label }))
    .toSorted((a, b) => a.label.localeCompare(b.label) || a.application_id.localeCompare(b.application_id))
}
