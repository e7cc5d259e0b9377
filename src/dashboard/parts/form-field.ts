/** The text of a field of a submitted form. A field that the form does not have is empty. */
export function readField(fields: FormData, name: string): string {
  const value = fields.get(name)
  return typeof value === 'string' ? value : ''
}
