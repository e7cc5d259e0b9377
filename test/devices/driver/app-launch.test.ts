import { expect, test } from 'vitest'
import { parseStartOutput } from '../../../src/devices/driver/app-launch.ts'

test('a launch is parsed with its component and time', () => {
  const text =
    'Starting: Intent { cmp=com.example/.Main }\nStatus: ok\nLaunchState: COLD\nActivity: com.example/.Main\nTotalTime: 412\nWaitTime: 415\nComplete\n'
  expect(read(text)).toEqual({
    launch: { component: 'com.example/.Main', wasRunning: false, totalTimeMs: 412 },
  })
})

test('an app brought to the front is a success', () => {
  const text =
    'Starting: Intent { cmp=com.example/.Main }\nWarning: Activity not started, its current task has been brought to the front\nStatus: ok\nActivity: com.example/.Main\nTotalTime: 0\nComplete\n'
  expect(read(text).launch).toMatchObject({ wasRunning: true, totalTimeMs: 0 })
})

test.each([
  'Error: Activity not started, unable to resolve Intent { act=android.intent.action.VIEW dat=foo:bar }',
  'Error type 3\nError: Activity class {com.example/com.example.Gone} does not exist.',
  'java.lang.SecurityException: Permission Denial: starting Intent { cmp=com.example/.Secret }',
  "Exception occurred while executing 'start':\njava.lang.SecurityException: not exported",
])('%j is a failure although the exit code is 0, on either stream', (text) => {
  const [first] = text.split('\n')
  const starting = 'Starting: Intent { }\n'
  expect(read(`${starting}${text}\n`)).toEqual({ error: first })
  expect(read(starting, `${text}\n`)).toEqual({ error: first })
})

test('output without status ok or with a non-zero exit code is a failure', () => {
  expect(read('Starting: Intent { }\n').launch).toBeUndefined()
  expect(read('Status: timeout\nActivity: a.b/.C\n')).toEqual({
    error: 'status timeout, exit code 0',
  })
  expect(read('Status: ok\n', '', 1).launch).toBeUndefined()
})

function read(stdout: string, stderr = '', exitCode = 0) {
  return parseStartOutput({ stdout: Buffer.from(stdout), stderr: Buffer.from(stderr), exitCode })
}
