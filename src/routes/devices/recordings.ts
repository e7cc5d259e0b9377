import type { FastifyInstance } from 'fastify'
import { compareRecording } from '@apprentice/contracts/devices/compare.ts'
import * as contracts from '@apprentice/contracts/devices/recording.ts'
import { getOwnRecording, toDeviceRecording } from '../../domain/capture/recordings.ts'
import { deviceNotFound } from '../../domain/devices/device-record.ts'
import { mountContract } from '../../http/contract-routes.ts'
import { findDevice } from '../../store/devices/devices.ts'
import { countRecordedEvents, listRecordings, type RecordingRow } from '../../store/capture/recordings.ts'
import type { System } from '../../daemon/system.ts'
import { mountWorkerRoute } from '../worker-routes.ts'

type RecordingParams = { readonly serial: string; readonly recordingId: string }

export function recordingRoutes(app: FastifyInstance, { commands, recordings, recordingStorage }: System): void {
  const on = mountContract(app)
  const getOwn = (params: RecordingParams, user: string): RecordingRow =>
    commands.read((reader) => {
      if (findDevice(reader, params.serial) === undefined) throw deviceNotFound(params.serial)
      return getOwnRecording(reader, params, user)
    })
  const toReply = (row: RecordingRow) => ({
    recording: commands.read((reader) => toDeviceRecording(reader, row)),
    schema_version: 1 as const,
  })

  on(contracts.startRecording)(async ({ params, body, caller }) =>
    toReply(await recordings.start(caller.user_id, { serial: params.serial, ...body })),
  )

  on(contracts.stopRecording)(async ({ params, caller }) =>
    toReply(await recordings.stop(caller.user_id, getOwn(params, caller.user_id))),
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
    const row = getOwn(params, caller.user_id)
    const { page, page_size, snapshots } = query
    const events = await recordingStorage.readPage(row, { page, page_size, snapshots })
    const total = commands.read((reader) => countRecordedEvents(reader, row.recording_id))
    return { ...toReply(row), events, total, page, page_size }
  })

  on(contracts.pullRecording)(({ params, caller }) => recordingStorage.readNdjson(getOwn(params, caller.user_id)))

  on(contracts.recordingSteps)(({ params, query, caller }) =>
    recordingStorage.readSteps(getOwn(params, caller.user_id), query.mode),
  )

  on(contracts.exportRecording)(({ params, query, caller }) =>
    recordingStorage.export(getOwn(params, caller.user_id), query),
  )

  mountWorkerRoute(app, contracts.parseRecordingFile)
  mountWorkerRoute(app, contracts.exportRecordingFile)
  mountWorkerRoute(app, compareRecording)
}
