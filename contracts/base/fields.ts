import { z } from 'zod'

export const SchemaVersion = z.literal(1)
export const Uuid = z.uuid()
export const DateTime = z.iso.datetime({ precision: 3 })
export const AbilityId = z.string().regex(/^[A-Za-z0-9._:-]{1,160}$/)
export const Serial = z.string().regex(/^[A-Za-z0-9._:[\]-]{1,160}$/)
export const ClientRequestId = z.string().min(1).max(120)
/** A string that must not be blank. */
export const text = (max: number) => z.string().max(max).regex(/\S/, 'must not be blank')

/** A request body with the fields common to all requests. Unknown keys are ignored. */
export const requestBody = <Shape extends z.ZodRawShape>(shape: Shape) => z.object({ ...shape, ...requestFields })

/** As `requestBody`, but an unknown key is refused. */
export const strictRequestBody = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject({ ...shape, ...requestFields })

const requestFields = {
  client_request_id: ClientRequestId.optional(),
  schema_version: SchemaVersion.optional(),
}
