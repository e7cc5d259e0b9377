import type { App, OpenDialog, OpenScreen } from './app.ts'
import { setLocale, uptimeMs, type Device } from './device.ts'
import type { Scope } from '../documents/evaluation.ts'
import { renderTemplate } from '../documents/template.ts'

/** Where in the phone something happens: which app, which of its windows, which list entry. */
export interface Spot {
  readonly device: Device
  readonly app: App
  readonly screen?: OpenScreen | undefined
  readonly dialog?: OpenDialog | undefined
  /** `item`, `index` and `with`, where a template or component binds them. */
  readonly names?: Readonly<Record<string, unknown>>
}

/** What expressions of an app document can see from a spot. */
export function scopeOf(spot: Spot): Scope {
  const { device, app, screen, dialog } = spot
  const window = dialog ?? screen
  // A string that asks for itself ends at its own name.
  const pending = new Set<string>()
  const scope: Scope = {
    names: {
      saved: app.saved,
      memory: app.process?.memory ?? {},
      local: window?.local ?? {},
      screen: screen?.local ?? {},
      args: window?.args ?? {},
      here: screen?.name ?? '',
      device: deviceNames(device),
      ...spot.names,
    },
    translate: (key) => {
      const words = stringOf(app, device.locale, key)
      if (words === undefined || pending.has(key)) return key
      pending.add(key)
      const text = renderTemplate(words, scope)
      pending.delete(key)
      return text
    },
  }
  return scope
}

export function labelOf(device: Device, app: App): string {
  return renderTemplate(app.document.label, scopeOf({ device, app }))
}

function stringOf(app: App, locale: string, key: string) {
  const { strings, default_locale } = app.document
  const language = locale.split('-')[0] ?? locale
  for (const name of [locale, language, default_locale]) {
    const words = strings[name]
    if (words !== undefined && Object.hasOwn(words, key)) return words[key]
  }
  return undefined
}

const faces = new WeakMap<Device, object>()

/** The phone as apps see it. `device.locale` and the settings can be written. */
function deviceNames(device: Device): object {
  const known = faces.get(device)
  if (known !== undefined) return known
  const face = createFace(device)
  faces.set(device, face)
  return face
}

function createFace(device: Device): object {
  const prop = (key: string): string => device.props.get(key) ?? ''
  const time = (): string => new Date(device.clock.now()).toISOString()
  const computed: Readonly<Record<string, () => unknown>> = {
    battery: () => device.battery,
    time: () => time().slice(11, 16),
    date: () => time().slice(0, 10),
    uptime_minutes: () => Math.floor(uptimeMs(device) / 60_000),
    model: () => prop('ro.product.model'),
    android_version: () => prop('ro.build.version.release'),
    build: () => prop('ro.build.display.id'),
    security_patch: () => prop('ro.build.version.security_patch'),
    kernel: () => prop('ro.kernel.version'),
    apps: () => appList(device, [...device.apps.keys()].toSorted()),
    recents: () => appList(device, device.tasks),
  }
  const face = { ...device.settings, serial: device.serial }
  for (const [name, get] of Object.entries(computed)) Object.defineProperty(face, name, { get })
  return Object.defineProperty(face, 'locale', {
    get: () => device.locale,
    set: (value: unknown) => {
      if (typeof value === 'string') setLocale(device, value)
    },
  })
}

function appList(device: Device, packages: readonly string[]): object[] {
  return packages
    .map((name) => device.apps.get(name))
    .filter((app) => app?.document.kind === 'app')
    .flatMap((app) =>
      app === undefined
        ? []
        : [
            {
              package: app.document.package,
              label: labelOf(device, app),
              color: app.document.color,
            },
          ],
    )
}
