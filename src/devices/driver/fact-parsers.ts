/** Readers of what Android's tools print. Each says `undefined` when the text does not tell. */

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Battery {
  /** Percent. */
  readonly level: number
  readonly charging: boolean
}

/** `wm size`: an override by the user counts before the panel's own size. */
export function parseSize(text: string): Size | undefined {
  const match = /Override size: (\d+)x(\d+)/.exec(text) ?? /Physical size: (\d+)x(\d+)/.exec(text)
  return match ? { width: Number(match[1]), height: Number(match[2]) } : undefined
}

/** `wm density`, in dots per inch. */
export function parseDensity(text: string): number | undefined {
  const match = /Override density: (\d+)/.exec(text) ?? /Physical density: (\d+)/.exec(text)
  return match ? Number(match[1]) : undefined
}

/** Quarter turns from the natural orientation, out of `dumpsys display` or `dumpsys window`. */
export function parseRotation(text: string): 0 | 1 | 2 | 3 | undefined {
  for (const pattern of ROTATIONS) {
    const value = pattern.exec(text)?.[1]
    if (value !== undefined) return quarterTurns(Number(value))
  }
  return undefined
}

const ROTATIONS = [
  /mCurrentOrientation=(\d)/,
  /SurfaceOrientation:\s*(\d)/,
  /mOverrideDisplayInfo=DisplayInfo\{.*?\brotation (\d)/,
  /mBaseDisplayInfo=DisplayInfo\{.*?\brotation (\d)/,
  /mCurrentRotation=ROTATION_(\d+)/,
  /\bm?[rR]otation=(\d+)/,
]

/** Newer systems name the angle (`ROTATION_90`), older ones count quarter turns. */
function quarterTurns(value: number): 0 | 1 | 2 | 3 | undefined {
  const turns = value > 3 ? value / 90 : value
  return turns === 0 || turns === 1 || turns === 2 || turns === 3 ? turns : undefined
}

/** `dumpsys battery`. Fakes set by hand are told as they are. */
export function parseBattery(text: string): Battery | undefined {
  const level = /^\s*level:\s*(\d+)/m.exec(text)?.[1]
  if (level === undefined) return undefined
  const scale = Number(/^\s*scale:\s*(\d+)/m.exec(text)?.[1] ?? 100) || 100
  const status = /^\s*status:\s*(\d+)/m.exec(text)?.[1]
  const powered = /^\s*(AC|USB|Wireless|Dock) powered:\s*true/m.test(text)
  // 2 is charging, 5 is full; a full phone on its charger counts as charging.
  const charging = status === '2' || (status === '5' && powered)
  return { level: Math.round((Number(level) * 100) / scale), charging }
}

/** `dumpsys power`: whether the screen is on for a person to see. */
export function parseAwake(text: string): boolean | undefined {
  const wakefulness = /mWakefulness=(\w+)/.exec(text)?.[1]
  if (wakefulness) return wakefulness === 'Awake'
  const display = /Display Power: state=(\w+)/.exec(text)?.[1]
  if (display) return display === 'ON'
  const old = /mScreenOn=(true|false)/.exec(text)?.[1]
  return old === undefined ? undefined : old === 'true'
}

/** `dumpsys window`: whether the lock screen covers everything. */
export function parseLocked(text: string): boolean | undefined {
  const flags = [
    ...text.matchAll(
      /\b(mDreamingLockscreen|mShowingLockscreen|isStatusBarKeyguard|isKeyguardShowing|mIsShowing|KeyguardShowing|keyguardShowing|showing)=(true|false)/g,
    ),
  ]
  return flags.length === 0 ? undefined : flags.some((flag) => flag[2] === 'true')
}

/** The preferred language tag, e.g. `de-AT`, out of the candidates in the order of their worth. */
export function parseLocale(...candidates: readonly string[]): string | undefined {
  const given = candidates.map((text) => text.trim()).find((text) => text !== '' && text !== 'null')
  return given?.split(',')[0]?.replace('_', '-')
}

/** `pm list packages`, with or without version codes. */
export function parsePackages(text: string): readonly InstalledPackage[] {
  return [...text.matchAll(/^package:(?:\S*=)?([\w.]+)(?:[ \t]+versionCode:(\d+))?\s*$/gm)].map(
    ([, name = '', version]) => ({
      package: name,
      ...(version === undefined ? {} : { versionCode: Number(version) }),
    }),
  )
}

export interface AppBuild {
  readonly versionName: string
  readonly versionCode: number
}

/** `dumpsys package <name>`; an updated system app is told twice, the one in use first. */
export function parseAppBuild(text: string): AppBuild | undefined {
  const code = /\bversionCode=(\d+)/.exec(text)?.[1]
  const name = /^\s*versionName=(.*\S)\s*$/m.exec(text)?.[1]
  if (code === undefined || name === undefined) return undefined
  return { versionName: name.slice(0, 120), versionCode: Number(code) }
}

export interface InstalledPackage {
  readonly package: string
  readonly versionCode?: number
}

/** One app a person can start. The label is known only where the device spells it out. */
export interface Launchable {
  readonly package: string
  readonly activity: string
  readonly label?: string
}

/** `cmd package query-activities` in its long form; the short one has no labels. */
export function parseLaunchables(text: string): readonly Launchable[] {
  return text
    .split(/^\s*(?:Activity #\d+:|ResolveInfo\b.*)\s*$/m)
    .map(parseLaunchable)
    .filter((found) => found !== undefined)
}

function parseLaunchable(block: string): Launchable | undefined {
  const name = /^\s*packageName=([\w.]+)/m.exec(block)?.[1]
  const activity = /^\s*name=([\w.$]+)/m.exec(block)?.[1]
  if (!name || !activity) return undefined
  const labels = [...block.matchAll(/nonLocalizedLabel=(.*?)(?: icon=| banner=|$)/gm)]
  const label = labels.map((match) => match[1]?.trim()).find((text) => text && text !== 'null')
  return { package: name, activity, ...(label ? { label } : {}) }
}
