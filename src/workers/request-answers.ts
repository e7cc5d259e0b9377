import type { z } from 'zod'
import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import { compareRecording } from '@apprentice/contracts/devices/compare.ts'
import { exportRecordingFile, parseRecordingFile } from '@apprentice/contracts/devices/recording.ts'
import { compareWithRecording } from '../knowledge/recordings/compare.ts'
import { toInvalidRequest } from '../http/invalid-request.ts'
import { parseStrictJson } from '../http/strict-json.ts'
import { parseExport, parseSteps } from './recording-file.ts'

type Answer = (body: Uint8Array) => Uint8Array

const answer =
  <C extends AnyContract>(contract: C, handle: (body: z.output<C['body']>) => z.input<C['reply']>): Answer =>
  (bytes) => {
    const parsed = contract.body.safeParse(parseStrictJson(bytes) ?? {})
    if (!parsed.success) throw toInvalidRequest(parsed.error.issues, 'body')
    const reply = contract.reply.parse(handle(parsed.data as z.output<C['body']>))
    return new TextEncoder().encode(JSON.stringify(reply))
  }

/** Routes whose reply depends on their body alone. Their bodies may be large, so nothing of them is parsed elsewhere. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  [compareRecording.url]: answer(compareRecording, compareWithRecording),
  [parseRecordingFile.url]: answer(parseRecordingFile, ({ ndjson, mode }) => parseSteps(ndjson, mode)),
  [exportRecordingFile.url]: answer(exportRecordingFile, ({ ndjson, snapshots, redact }) =>
    parseExport(ndjson, { snapshots, redact }),
  ),
}

/** Parses and validates the body of a request, and answers it as its contract says. */
export function answerRequest({ url, body }: { readonly url: string; readonly body: Uint8Array }): Uint8Array {
  const found = ANSWERS[url]
  if (found === undefined) throw new Error(`No answer for ${url}`)
  return found(body)
}
