import { Failure } from '../failure/failure.ts'

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly message: string
}

/** The failure of a request part that does not match its contract. It names the first invalid field. */
export function toInvalidRequest(found: readonly Issue[], part: string): Failure {
  const issues = found.slice(0, 10).map(({ path, message }) => ({
    field: path.map(String).join('.') || part,
    message,
  }))
  const [first] = issues
  return new Failure('INVALID_REQUEST', `${part} ${first?.field ?? ''}: ${first?.message ?? 'is invalid'}`, {
    details: { field: first?.field ?? part, in: part, issues },
  })
}
