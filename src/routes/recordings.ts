import type { FastifyInstance } from 'fastify'
import { compareRecording } from '@apprentice/contracts/devices/compare.ts'
import * as contracts from '@apprentice/contracts/devices/recording.ts'
import { getOwnRecording, toDeviceRecording } from '../domain/capture/recordings.ts'
import { deviceNotFound } from '../domain/devices/sightings.ts'
import { compareWithRecording } from '../knowledge/recordings/compare.ts'
import { mounting } from '../http/mount.ts'
import { findDevice } from '../store/devices/devices.ts'
import {
  countRecordedEvents,
  listRecordings,
  type RecordingRow,
} from '../store/capture/recordings.ts'
import type { System } from '../daemon/system.ts'

type Named = { readonly serial: string; readonly recordingId: string }

export function recordingRoutes(
  app: FastifyInstance,
  { commands, recordings, shelf }: System,
): void {
  const on = mounting(app)
  const own = (params: Named, user: string): RecordingRow =>
    commands.read((reader) => {
      if (findDevice(reader, params.serial) === undefined) throw deviceNotFound(params.serial)
      return getOwnRecording(reader, params, user)
    })
  const show = (row: RecordingRow) => ({
    recording: commands.read((reader) => toDeviceRecording(reader, row)),
    schema_version: 1 as const,
  })

  on(contracts.startRecording)(async ({ params, body, caller }) =>
    show(await recordings.start(caller.user_id, { serial: params.serial, ...body })),
  )

  on(contracts.stopRecording)(async ({ params, caller }) =>
    show(await recordings.stop(caller.user_id, own(params, caller.user_id))),
  )

  on(contracts.listRecordings)(({ params, query, caller }) =>
    commands.read((reader) => {
      if (findDevice(reader, params.serial) === undefined) throw deviceNotFound(params.serial)
      const owner = caller.user_id
      const found = listRecordings(reader, { serial: params.serial, owner }, query)
      return {
        recordings: found.recordings.map((row) => toDeviceRecording(reader, row)),
        total: found.total,
        page: query.page,
        page_size: query.page_size,
        schema_version: 1 as const,
      }
    }),
  )

  on(contracts.getRecording)(async ({ params, query, caller }) => {
    const row = own(params, caller.user_id)
    const { page, page_size, snapshots } = query
    const events = await shelf.page(row, { page, page_size, snapshots })
    const total = commands.read((reader) => countRecordedEvents(reader, row.recording_id))
    return { ...show(row), events, total, page, page_size }
  })

  on(contracts.pullRecording)(({ params, caller }) => shelf.file(own(params, caller.user_id)))

  on(contracts.recordingSteps)(({ params, query, caller }) =>
    shelf.steps(own(params, caller.user_id), query.mode),
  )

  on(contracts.exportRecording)(({ params, query, caller }) =>
    shelf.export(own(params, caller.user_id), query),
  )

  on(contracts.parseRecordingFile)(({ body }) => shelf.stepsOfFile(body.ndjson, body.mode))

  on(contracts.exportRecordingFile)(({ body: { ndjson, snapshots, redact } }) =>
    shelf.exportOfFile(ndjson, { snapshots, redact }),
  )

  on(compareRecording)(({ body }) => compareWithRecording(body))
}
