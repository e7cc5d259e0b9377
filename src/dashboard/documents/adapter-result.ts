import { z } from 'zod'

/** The parts of the results of operations that the page displays. */
const Result = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('document_text'), pages: z.array(z.object({ page: z.number(), text: z.string() })) }),
  z.object({ kind: z.literal('document_ocr'), pages: z.array(z.object({ page: z.number(), text: z.string() })) }),
  z.object({
    kind: z.literal('document_tables'),
    tables: z.array(z.object({ table: z.number(), page: z.number(), cells: z.array(z.array(z.string())) })),
  }),
  z.object({
    kind: z.literal('redaction_proposal'),
    proposals: z.array(z.object({ page: z.number(), kind: z.string(), boxes: z.array(z.unknown()) })),
  }),
])

export type AdapterResult = z.infer<typeof Result> | { readonly kind: 'unreadable' }

/** Reads a result from its file. */
export function readResult(bytes: Uint8Array): AdapterResult {
  try {
    return Result.parse(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return { kind: 'unreadable' }
  }
}
