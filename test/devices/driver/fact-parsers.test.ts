import { expect, test } from 'vitest'
import * as read from '../../../src/devices/driver/fact-parsers.ts'
import { parseForeground } from '../../../src/devices/driver/foreground.ts'

test('an override of size or density takes precedence', () => {
  expect(read.parseSize('Physical size: 1080x2400\n')).toEqual({ width: 1080, height: 2400 })
  expect(read.parseSize('Physical size: 1440x3088\nOverride size: 1080x2316\n')).toEqual({
    width: 1080,
    height: 2316,
  })
  expect(read.parseSize('cmd: Can not find service: window')).toBeUndefined()
  expect(read.parseDensity('Physical density: 420\n')).toBe(420)
  expect(read.parseDensity('Physical density: 560\nOverride density: 450\n')).toBe(450)
  expect(read.parseDensity('')).toBeUndefined()
})

test.each([
  ['Android 6', '  mCurrentOrientation=1\n', 1],
  ['Android 8, input', '      SurfaceOrientation: 3\n', 3],
  [
    'Android 12',
    '    mBaseDisplayInfo=DisplayInfo{"Built-in Screen", displayId 0, real 1080 x 2400, rotation 0, state ON}\n' +
      '    mOverrideDisplayInfo=DisplayInfo{"Built-in Screen", displayId 0, FLAG_SECURE, real 2400 x 1080, app 2274 x 1080, rotation 1, state ON}\n',
    1,
  ],
  ['Android 14, window', '    mCurrentRotation=ROTATION_270\n', 3],
  ['Android 11, window', '  mRotation=2 mDeferredRotationPauseCount=0\n', 2],
  ['nothing', 'no such service', undefined],
] as const)('the rotation is read from %s', (_name, text, rotation) => {
  expect(read.parseRotation(text)).toBe(rotation)
})

test('the battery counts as charging only while powered', () => {
  const battery = (status: number, powered: boolean, level = 80, scale = 100) =>
    read.parseBattery(
      `Current Battery Service state:\n  AC powered: false\n  USB powered: ${powered}\n  Wireless powered: false\n  status: ${status}\n  health: 2\n  present: true\n  level: ${level}\n  scale: ${scale}\n  voltage: 4300\n`,
    )
  expect(battery(2, true)).toEqual({ level: 80, charging: true })
  expect(battery(3, false)).toEqual({ level: 80, charging: false })
  expect(battery(4, true)).toEqual({ level: 80, charging: false })
  expect(battery(5, true, 100)).toEqual({ level: 100, charging: true })
  expect(battery(5, false, 100)).toEqual({ level: 100, charging: false })
  expect(battery(3, false, 10, 20)).toEqual({ level: 50, charging: false })
  expect(read.parseBattery("Can't find service: battery")).toBeUndefined()
})

test.each([
  ['  mWakefulness=Awake\n', true],
  ['  mWakefulness=Asleep\n', false],
  ['  mWakefulness=Dozing\n  mWakefulnessChanging=false\n', false],
  ['Display Power: state=OFF\n', false],
  ['  mScreenOn=true\n', true],
  ['', undefined],
] as const)('the screen state is read from %j', (text, awake) => {
  expect(read.parseAwake(text)).toBe(awake)
})

test.each([
  ['    KeyguardServiceDelegate\n      showing=true\n      showingAndNotOccluded=true\n      secure=true\n', true],
  ['    KeyguardServiceDelegate\n      showing=false\n      inputRestricted=false\n', false],
  ['    mShowingLockscreen=true mShowingDream=false mDreamingLockscreen=true\n', true],
  ['    mShowingLockscreen=false mShowingDream=true mDreamingLockscreen=false\n', false],
  ['  isStatusBarKeyguard=true\n', true],
  ['    mKeyguardDrawComplete=true\n', undefined],
] as const)('the lock state is read from %j', (text, locked) => {
  expect(read.parseLocked(text)).toBe(locked)
})

test('the locale is the first one that is set', () => {
  expect(read.parseLocale('de-AT,en-US\n', 'en-US', '')).toBe('de-AT')
  expect(read.parseLocale('null\n', '\n', 'en_GB\n')).toBe('en-GB')
  expect(read.parseLocale('null\n', '', '')).toBeUndefined()
})

test('the active build of an app is parsed; unknown apps have none', () => {
  const text = `Packages:
  Package [com.example] (1a2b):
    versionCode=42 minSdk=26 targetSdk=34
    versionName=4.2 beta
Hidden system packages:
  Package [com.example] (3c4d):
    versionCode=7 minSdk=26 targetSdk=30
    versionName=0.7
`
  expect(read.parseAppBuild(text)).toEqual({ versionName: '4.2 beta', versionCode: 42 })
  expect(read.parseAppBuild('Unable to find package: com.none\n')).toBeUndefined()
})

test('packages are listed with and without version codes and paths', () => {
  const text =
    'package:com.android.settings versionCode:34\npackage:com.example.app\r\npackage:/data/app/~~x==/com.long-1/base.apk=com.long\nWARNING: x\n'
  expect(read.parsePackages(text)).toEqual([
    { package: 'com.android.settings', versionCode: 34 },
    { package: 'com.example.app' },
    { package: 'com.long' },
  ])
})

test('launchable apps are listed, with a label only if the device reports one', () => {
  const text = `2 activities found:
  Activity #0:
    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false
    ActivityInfo:
      name=com.android.settings.Settings
      packageName=com.android.settings
      labelRes=0x7f120c3a nonLocalizedLabel=null icon=0x7f080164 banner=0x0
      ApplicationInfo:
        packageName=com.android.settings
        labelRes=0x7f120c3a nonLocalizedLabel=null icon=0x7f080164 banner=0x0
  Activity #1:
    priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false
    ActivityInfo:
      name=com.example.notes.MainActivity$Inner
      packageName=com.example.notes
      labelRes=0x0 nonLocalizedLabel=My Notes icon=0x0 banner=0x0
`
  expect(read.parseLaunchables(text)).toEqual([
    { package: 'com.android.settings', activity: 'com.android.settings.Settings' },
    {
      package: 'com.example.notes',
      activity: 'com.example.notes.MainActivity$Inner',
      label: 'My Notes',
    },
  ])
  expect(read.parseLaunchables('No activities found\n')).toEqual([])
})

test.each([
  [
    'Android 14',
    '  topResumedActivity=ActivityRecord{a1b2c3 u0 com.example/.Main t12}\n  mCurrentFocus=Window{d4e5f6 u0 com.example/com.example.Main}\n',
    { package: 'com.example', activity: 'com.example.Main', source: 'focused_window' },
  ],
  [
    'a second user',
    '  topResumedActivity=ActivityRecord{a1b2c3 u10 com.work/com.work.Home t12 d0}\n  mCurrentFocus=null\n',
    { package: 'com.work', activity: 'com.work.Home', source: 'resumed_activity' },
  ],
  [
    'Android 8, lock screen in focus',
    '    mResumedActivity: ActivityRecord{12ab u0 com.android.settings/.Settings t5}\n  mCurrentFocus=Window{99 u0 StatusBar}\n',
    {
      package: 'com.android.settings',
      activity: 'com.android.settings.Settings',
      source: 'resumed_activity',
    },
  ],
  [
    'several displays, the last focus that names an app',
    '  mCurrentFocus=null\n  mCurrentFocus=Window{1 u0 com.a/com.a.A}\n  mCurrentFocus=null\n',
    { package: 'com.a', activity: 'com.a.A', source: 'focused_window' },
  ],
  [
    'only the focused app',
    '  mFocusedApp=AppWindowToken{3e token=Token{4f ActivityRecord{5a u0 com.b/.B$Inner t1}}}\n',
    { package: 'com.b', activity: 'com.b.B$Inner', source: 'focused_app' },
  ],
  ['nothing in front', '  mCurrentFocus=null\n  mFocusedApp=null\n', undefined],
] as const)('the foreground is read from %s', (_name, text, expected) => {
  expect(parseForeground(text)).toEqual(expected)
})
