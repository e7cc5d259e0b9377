import { expect, test } from 'vitest'
import { LATENCY_PROFILES } from '@apprentice/phone/phone.ts'
import { launch, manualPhone, run, tap } from './phone-shell.ts'

const NOTES = 'org.apprentice.notes'
const MAIN = '-a android.intent.action.MAIN -c android.intent.category.LAUNCHER'

test('am start -W reports the launch state', async () => {
  const { phone } = manualPhone({ latency: { ...LATENCY_PROFILES.fast, launchMs: 450 } })
  const command = `am start -W -n ${NOTES}/.NoteListActivity`
  const cold = await run(phone, command)
  expect(cold).toMatchObject({ code: 0, stderr: '' })
  expect(cold.stdout).toBe(
    `Starting: Intent { cmp=${NOTES}/.NoteListActivity }\nStatus: ok\nLaunchState: COLD\n` +
      `Activity: ${NOTES}/.NoteListActivity\nTotalTime: 450\nWaitTime: 453\nComplete\n`,
  )
  const top = await run(phone, command)
  expect(top.stderr).toBe(
    'Warning: Activity not started, intent has been delivered to currently running top-most instance.\n',
  )
  await run(phone, 'input keyevent HOME')
  const front = await run(phone, command)
  expect(front.stderr).toContain('its current task has been brought to the front')
  expect(front.stdout).toContain('LaunchState: HOT')
})

test('a failed start prints an error and exits with 0', async () => {
  const { phone } = manualPhone()
  expect(await run(phone, `am start -n ${NOTES}/.Nope`)).toMatchObject({
    code: 0,
    stderr: `Error type 3\nError: Activity class {${NOTES}/${NOTES}.Nope} does not exist.\n`,
  })
  expect((await run(phone, 'am start -a android.intent.action.VIEW -d foo://bar')).stderr).toBe(
    'Error: Activity not started, unable to resolve Intent { act=android.intent.action.VIEW dat=foo://bar flg=0x10000000 }\n',
  )
  expect(phone.foreground()?.packageName).toBe('com.android.launcher3')
  expect((await run(phone, 'am start -Z x')).code).toBe(255)
})

test('a URI opens the screen with a matching link and passes its parts as arguments', async () => {
  const { phone } = manualPhone()
  const ran = await run(phone, "am start -W -a android.intent.action.VIEW -d 'notes://note/2'")
  expect(ran.stdout).toContain(`Activity: ${NOTES}/.NoteEditorActivity`)
  expect(phone.state(NOTES).screens.map(({ screen }) => screen)).toEqual(['list', 'editor'])
  expect(phone.state(NOTES).screens.at(-1)?.local['title']).toBe('Meeting')
})

test('force-stop ends the app and -S restarts it', async () => {
  const { phone } = manualPhone()
  await launch(phone, NOTES)
  await tap(phone, 'Groceries')
  expect((await run(phone, `pidof ${NOTES}`)).code).toBe(0)
  expect(await run(phone, `am force-stop ${NOTES}`)).toMatchObject({
    code: 0,
    stdout: '',
    stderr: '',
  })
  expect((await run(phone, `pidof ${NOTES}`)).code).toBe(1)
  expect((await run(phone, 'am force-stop no.such.app')).code).toBe(0)
  await launch(phone, NOTES)
  await tap(phone, 'Groceries')
  await run(phone, `am start -S -n ${NOTES}/.NoteListActivity`)
  expect(phone.foreground()?.screen).toBe('list')
})

test('monkey launches an app by package and fails for an unknown package', async () => {
  const { phone } = manualPhone()
  await run(phone, `monkey -p ${NOTES} -c android.intent.category.LAUNCHER 1`)
  expect(phone.foreground()?.packageName).toBe(NOTES)
  const none = await run(phone, 'monkey -p no.such.app -c android.intent.category.LAUNCHER 1')
  expect(none).toMatchObject({
    code: 252,
    stderr: '** No activities found to run, monkey aborted.\n',
  })
})

test('pm and cmd package resolve, list, locate and clear packages', async () => {
  const { phone } = manualPhone()
  const out = async (command: string) => (await run(phone, command)).stdout
  expect(await out(`cmd package resolve-activity --brief ${MAIN} ${NOTES}`)).toBe(
    `priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true\n${NOTES}/.NoteListActivity\n`,
  )
  expect(await out('cmd package resolve-activity --brief no.such.app')).toBe('No activity found\n')
  expect(await out(`cmd package query-activities --brief ${MAIN}`)).toMatch(
    /^5 activities found:\n {2}Activity #0:\n {4}priority=0/,
  )
  expect(await out(`cmd package query-activities ${MAIN}`)).toContain(`packageName=${NOTES}\n`)
  expect(await out('pm list packages -3')).toBe(
    'package:org.apprentice.climate\npackage:org.apprentice.notes\npackage:org.apprentice.portal\npackage:org.apprentice.shop\n',
  )
  expect(await out('pm list packages')).toContain('package:com.android.settings\n')
  expect(await out('pm list packages --show-versioncode notes')).toBe(`package:${NOTES} versionCode:18\n`)
  expect(await run(phone, `pm path ${NOTES}`)).toMatchObject({
    code: 0,
    stdout: `package:/data/app/${NOTES}/base.apk\n`,
  })
  expect(await run(phone, 'pm path no.such.app')).toMatchObject({ code: 1, stdout: '', stderr: '' })
  expect(await run(phone, 'pm clear no.such.app')).toMatchObject({ code: 1, stdout: 'Failed\n' })
})

test('dumpsys prints the focused window and the resumed activity', async () => {
  const { phone } = manualPhone()
  await launch(phone, NOTES)
  await tap(phone, 'Groceries')
  const window = await run(phone, "dumpsys window | grep -E 'mCurrentFocus|mFocusedApp'")
  expect(window.stdout).toMatch(
    new RegExp(
      `^  mCurrentFocus=Window\\{\\w+ u0 ${NOTES}/${NOTES}\\.NoteEditorActivity\\}\\n` +
        `  mFocusedApp=ActivityRecord\\{\\w+ u0 ${NOTES}/\\.NoteEditorActivity t\\d+\\}\\n$`,
    ),
  )
  const activities = await run(phone, "dumpsys activity activities | grep -E 'topResumedActivity=|ResumedActivity:'")
  expect(activities.stdout).toContain(`${NOTES}/.NoteEditorActivity`)
  expect((await run(phone, 'dumpsys window')).stdout).toContain('mCurrentRotation=ROTATION_0')
  phone.setScreen('locked')
  expect((await run(phone, 'dumpsys window')).stdout).toContain('isKeyguardShowing=true')
  expect((await run(phone, 'dumpsys activity activities')).stdout).not.toContain('ResumedActivity')
})

test('dumpsys prints versions and battery and reports unknown services', async () => {
  const { phone } = manualPhone()
  const details = (await run(phone, `dumpsys package ${NOTES}`)).stdout
  expect(details).toContain('versionCode=18 minSdk=')
  expect(details).toContain('versionName=1.8.0\n')
  expect((await run(phone, 'dumpsys package no.such.app')).stdout).toBe('Unable to find package: no.such.app\n')
  phone.setBattery(7, false)
  expect((await run(phone, 'dumpsys battery')).stdout).toMatch(/USB powered: false\n[^]*level: 7\n/)
  expect((await run(phone, 'dumpsys nothing')).stderr).toBe("Can't find service: nothing\n")
})
