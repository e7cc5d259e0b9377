/** Parsers for the output of Android tools. Each returns `undefined` if the text does not contain the fact. */

export interface Size {
  readonly width: number
  readonly height: number
}

export interface Battery {
  /** Percent. */
  readonly level: number
  readonly charging: boolean
}

/** Parses `wm size`. An override takes precedence over the physical size. */
export function parseSize(text: string): Size | undefined {
  const match = /Override size: (\d+)x(\d+)/.exec(text) ?? /Physical size: (\d+)x(\d+)/.exec(text)
  return match ? { width: Number(match[1]), height: Number(match[2]) } : undefined
}

/** Parses `wm density`, in dots per inch. */
export function parseDensity(text: string): number | undefined {
  const match = /Override density: (\d+)/.exec(text) ?? /Physical density: (\d+)/.exec(text)
  return match ? Number(match[1]) : undefined
}

/** Parses the quarter turns from the natural orientation in `dumpsys display` or `dumpsys window`. */
export function parseRotation(text: string): 0 | 1 | 2 | 3 | undefined {
  for (const pattern of ROTATION_PATTERNS) {
    const value = pattern.exec(text)?.[1]
    if (value !== undefined) return toQuarterTurns(Number(value))
  }
  return undefined
}

const ROTATION_PATTERNS = [
  /mCurrentOrientation=(\d)/,
  /SurfaceOrientation:\s*(\d)/,
  /mOverrideDisplayInfo=DisplayInfo\{.*?\brotation (\d)/,
  /mBaseDisplayInfo=DisplayInfo\{.*?\brotation (\d)/,
  /mCurrentRotation=ROTATION_(\d+)/,
  /\bm?[rR]otation=(\d+)/,
]

/** Newer systems report the angle (`ROTATION_90`), older ones quarter turns. */
function toQuarterTurns(value: number): 0 | 1 | 2 | 3 | undefined {
  const turns = value > 3 ? value / 90 : value
  return turns === 0 || turns === 1 || turns === 2 || turns === 3 ? turns : undefined
}

/** Parses `dumpsys battery`. Values set by hand are not detected. */
export function parseBattery(text: string): Battery | undefined {
  const level = /^[ \t]*level:\s*(\d+)/m.exec(text)?.[1]
  if (level === undefined) return undefined
  const scale = Number(/^[ \t]*scale:\s*(\d+)/m.exec(text)?.[1] ?? 100) || 100
  const status = /^[ \t]*status:\s*(\d+)/m.exec(text)?.[1]
  const powered = /^[ \t]*(AC|USB|Wireless|Dock) powered:\s*true/m.test(text)
  // 2 is charging, 5 is full; a full phone on its charger counts as charging.
  const charging = status === '2' || (status === '5' && powered)
  return { level: Math.round((Number(level) * 100) / scale), charging }
}

/** Parses `dumpsys power`: whether the screen is on. */
export function parseAwake(text: string): boolean | undefined {
  const wakefulness = /mWakefulness=(\w+)/.exec(text)?.[1]
  if (wakefulness) return wakefulness === 'Awake'
  const display = /Display Power: state=(\w+)/.exec(text)?.[1]
  if (display) return display === 'ON'
  const old = /mScreenOn=(true|false)/.exec(text)?.[1]
  return old === undefined ? undefined : old === 'true'
}

/** Parses `dumpsys window`: whether the lock screen is displayed. */
export function parseLocked(text: string): boolean | undefined {
  const flags = [
    ...text.matchAll(
      /\b(mDreamingLockscreen|mShowingLockscreen|isStatusBarKeyguard|isKeyguardShowing|mIsShowing|KeyguardShowing|keyguardShowing|showing)=(true|false)/g,
    ),
  ]
  return flags.length === 0 ? undefined : flags.some((flag) => flag[2] === 'true')
}

/** The preferred language tag, e.g. `de-AT`: the first candidate with a value. */
export function parseLocale(...candidates: readonly string[]): string | undefined {
  const given = candidates.map((text) => text.trim()).find((text) => text !== '' && text !== 'null')
  return given?.split(',')[0]?.replace('_', '-')
}

/** Parses `pm list packages`, with or without version codes. */
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

/** Parses `dumpsys package <name>`. An updated system app is listed twice, the active version first. */
export function parseAppBuild(text: string): AppBuild | undefined {
  const code = /\bversionCode=(\d+)/.exec(text)?.[1]
  const name = /^[ \t]*versionName=(.*\S)\s*$/m.exec(text)?.[1]
  if (code === undefined || name === undefined) return undefined
  return { versionName: name.slice(0, 120), versionCode: Number(code) }
}

export interface InstalledPackage {
  readonly package: string
  readonly versionCode?: number
}

/** An app with a launcher entry. The label is present only if the device reports it. */
export interface Launchable {
  readonly package: string
  readonly activity: string
  readonly label?: string
}

/** Parses the long form of `cmd package query-activities`. The short form has no labels. */
export function parseLaunchables(text: string): readonly Launchable[] {
  return text
    .split(/^[ \t]*(?:Activity #\d+:|ResolveInfo\b.*)\s*$/m)
    .map(parseLaunchable)
    .filter((found) => found !== undefined)
}

function parseLaunchable(block: string): Launchable | undefined {
  const name = /^[ \t]*packageName=([\w.]+)/m.exec(block)?.[1]
  const activity = /^[ \t]*name=([\w.$]+)/m.exec(block)?.[1]
  if (!name || !activity) return undefined
  const labels = [...block.matchAll(/nonLocalizedLabel=(.*?)(?: icon=| banner=|$)/gm)]
  const label = labels.map((match) => match[1]?.trim()).find((text) => text && text !== 'null')
  return { package: name, activity, ...(label ? { label } : {}) }
}
