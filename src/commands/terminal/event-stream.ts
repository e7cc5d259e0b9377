import type { z } from 'zod'
import type { Contract } from '@apprentice/contracts/base/route.ts'
import { connect, type ConnectionOptions } from './connection.ts'

export interface FollowOptions {
  readonly params: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/** Yields the data of the events of a stream from its beginning until it ends or the signal is aborted. */
export async function* followEvents<R extends z.ZodType>(
  options: ConnectionOptions,
  contract: Contract<z.ZodType, z.ZodType, z.ZodType, R>,
  { params, signal }: FollowOptions,
): AsyncGenerator<z.output<R>, void, undefined> {
  const stream = connect(options).stream(contract, {
    params,
    reconnect: false,
    ...(signal === undefined ? {} : { signal }),
  })
  for await (const { data } of stream) yield data
}
