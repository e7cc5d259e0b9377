import type { App, OpenDialog, OpenScreen } from './app.ts'
import { setLocale, readUptimeMs, type Device } from './device.ts'
import type { Scope } from '../documents/evaluation.ts'
import { renderTemplate } from '../documents/template.ts'

/** The app, window and list entry in which expressions are evaluated and actions run. */
export interface AppContext {
  readonly device: Device
  readonly app: App
  readonly screen?: OpenScreen | undefined
  readonly dialog?: OpenDialog | undefined
  /** `item`, `index` and `with`, where a template or component binds them. */
  readonly names?: Readonly<Record<string, unknown>>
}

interface KnownScope {
  readonly scope: Scope
  readonly saved: App['saved']
  readonly process: App['process']
}

const knownScopes = new WeakMap<AppContext, KnownScope>()

/** Builds the names that expressions of an app document can use in a context. */
export function buildScope(context: AppContext): Scope {
  const { saved, process } = context.app
  const known = knownScopes.get(context)
  // A context outlives the state of an app that was cleared or stopped.
  if (known !== undefined && known.saved === saved && known.process === process) return known.scope
  const scope = createScope(context)
  knownScopes.set(context, { scope, saved, process })
  return scope
}

function createScope(context: AppContext): Scope {
  const { device, app, screen, dialog } = context
  const window = dialog ?? screen
  // A string that refers to itself renders as its key.
  const pending = new Set<string>()
  const scope: Scope = {
    names: {
      saved: app.saved,
      memory: app.process?.memory ?? {},
      local: window?.local ?? {},
      screen: screen?.local ?? {},
      args: window?.args ?? {},
      here: screen?.name ?? '',
      device: readDeviceNames(device),
      ...context.names,
    },
    translate: (key) => {
      const template = findString(app, device.locale, key)
      if (template === undefined || pending.has(key)) return key
      pending.add(key)
      const text = renderTemplate(template, scope)
      pending.delete(key)
      return text
    },
  }
  return scope
}

export function renderLabel(device: Device, app: App): string {
  return renderTemplate(app.document.label, buildScope({ device, app }))
}

function findString(app: App, locale: string, key: string) {
  const { strings, default_locale } = app.document
  const language = locale.split('-')[0] ?? locale
  for (const name of [locale, language, default_locale]) {
    const translations = strings[name]
    if (translations !== undefined && Object.hasOwn(translations, key)) return translations[key]
  }
  return undefined
}

const deviceNamesCache = new WeakMap<Device, object>()

/** The value of `device` in expressions. `device.locale` and the settings are writable. */
function readDeviceNames(device: Device): object {
  const cached = deviceNamesCache.get(device)
  if (cached !== undefined) return cached
  const names = createDeviceNames(device)
  deviceNamesCache.set(device, names)
  return names
}

function createDeviceNames(device: Device): object {
  const prop = (key: string): string => device.props.get(key) ?? ''
  const time = (): string => new Date(device.clock.now()).toISOString()
  const computed: Readonly<Record<string, () => unknown>> = {
    battery: () => device.battery,
    time: () => time().slice(11, 16),
    date: () => time().slice(0, 10),
    uptime_minutes: () => Math.floor(readUptimeMs(device) / 60_000),
    model: () => prop('ro.product.model'),
    android_version: () => prop('ro.build.version.release'),
    build: () => prop('ro.build.display.id'),
    security_patch: () => prop('ro.build.version.security_patch'),
    kernel: () => prop('ro.kernel.version'),
    apps: () => listApps(device, [...device.apps.keys()].toSorted()),
    recents: () => listApps(device, device.tasks),
    notifications: () => listNotifications(device),
  }
  const names = { ...device.settings, serial: device.serial }
  for (const [name, get] of Object.entries(computed)) Object.defineProperty(names, name, { get })
  return Object.defineProperty(names, 'locale', {
    get: () => device.locale,
    set: (value: unknown) => {
      if (typeof value === 'string') setLocale(device, value)
    },
  })
}

function listNotifications(device: Device): object[] {
  return device.notifications.map(({ key, app, title, text }) => ({
    key,
    title,
    text,
    package: app.document.package,
    label: renderLabel(device, app),
    color: app.document.color,
  }))
}

function listApps(device: Device, packages: readonly string[]): object[] {
  return packages
    .map((name) => device.apps.get(name))
    .filter((app) => app?.document.kind === 'app')
    .flatMap((app) =>
      app === undefined
        ? []
        : [
            {
              package: app.document.package,
              label: renderLabel(device, app),
              color: app.document.color,
            },
          ],
    )
}
