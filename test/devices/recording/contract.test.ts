import { expect, test } from 'vitest'
import { z } from 'zod'
import * as contract from '@apprentice/contracts/devices/recording.ts'

const routes = [
  contract.startRecording,
  contract.stopRecording,
  contract.listRecordings,
  contract.getRecording,
  contract.pullRecording,
  contract.recordingSteps,
  contract.exportRecording,
  contract.parseRecordingFile,
  contract.exportRecordingFile,
] as const

test.each(routes.map((route) => [`${route.method} ${route.url}`, route] as const))(
  '%s has a JSON Schema',
  (_name, { params, query, body, reply }) => {
    const written = [params, query, body].map((part) => z.toJSONSchema(part, { io: 'input' }))
    expect(written).toMatchObject([{ type: 'object' }, { type: 'object' }, { type: 'object' }])
    expect(() => z.toJSONSchema(reply, { io: 'output' })).not.toThrow()
  },
)

test('omitted fields get their defaults', () => {
  expect(contract.startRecording.body.parse({})).toEqual({ source: 'proxy' })
  expect(contract.recordingSteps.query.parse({})).toEqual({ mode: 'v1' })
  expect(contract.exportRecording.query.parse({ redact: 'true' })).toEqual({
    snapshots: 'omit',
    redact: true,
  })
  expect(contract.exportRecordingFile.body.parse({ ndjson: '' })).toEqual({
    ndjson: '',
    snapshots: 'omit',
    redact: false,
  })
})

test.each(['a b', '../up', '', 'ü'])('%j is not a valid session id', (session_id) => {
  expect(contract.startRecording.body.safeParse({ session_id }).success).toBe(false)
})
