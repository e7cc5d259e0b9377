/** What the Graph server of a test holds. Tests change it and read it afterwards. */
export interface GraphItem {
  readonly id: string
  readonly name: string
  readonly parent_id: string
  readonly mime?: string
  readonly content?: Buffer
  modified: string
}

export interface GraphMessage {
  readonly id: string
  readonly conversationId: string
  readonly folder: string
  readonly from: string
  readonly receivedDateTime: string
  subject: string
  isDraft: boolean
  body: { readonly contentType: string; readonly content: string }
}

export interface GraphEvent {
  readonly id: string
  subject?: string
  start: { readonly dateTime: string; readonly timeZone: string }
  end: { readonly dateTime: string; readonly timeZone: string }
  showAs: string
  readonly transactionId?: string
  readonly [field: string]: unknown
}

export interface TeamsMessage {
  readonly id: string
  readonly body: { readonly contentType: string; readonly content: string }
}

export interface GraphState {
  readonly me: { readonly id: string; readonly displayName: string; readonly mail: string }
  /** Items by drive. The drive `own-drive` is that of the signed-in person. */
  readonly drives: Readonly<Record<string, GraphItem[]>>
  readonly sites: readonly {
    readonly id: string
    readonly host: string
    readonly path: string
    readonly displayName: string
    readonly drive: string
  }[]
  readonly people: readonly { readonly id: string; readonly displayName: string }[]
  readonly messages: GraphMessage[]
  readonly events: GraphEvent[]
  /** Digits of an availability view by address. Absent: nobody has that address. */
  readonly schedules: Readonly<Record<string, string>>
  readonly channels: Readonly<Record<string, { readonly displayName: string; readonly messages: TeamsMessage[] }>>
  readonly chats: Readonly<Record<string, TeamsMessage[]>>
}

export const OWN_DRIVE = 'own-drive'
export const SITE_DRIVE = 'b!site-drive'
export const SITE_ID = 'contoso.sharepoint.com,1a2b,3c4d'
export const CHANNEL = 'team-1/19:general@thread.tacv2'
const WORD = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

export function createGraphState(docx: Buffer): GraphState {
  const file = (id: string, name: string, modified: string, changes: Partial<GraphItem> = {}) => ({
    id,
    name,
    parent_id: 'root',
    modified,
    content: Buffer.from(name),
    mime: 'text/plain',
    ...changes,
  })
  const message = (id: string, subject: string, receivedDateTime: string, changes: Partial<GraphMessage> = {}) => ({
    id,
    conversationId: 'thread-roof',
    folder: 'inbox',
    from: 'ben@contoso.example',
    receivedDateTime,
    subject,
    isDraft: false,
    body: { contentType: 'text', content: `About ${subject}` },
    ...changes,
  })
  const at = (dateTime: string) => ({ dateTime, timeZone: 'UTC' })
  return {
    me: { id: 'user-ada', displayName: 'Ada', mail: 'ada@contoso.example' },
    drives: {
      [OWN_DRIVE]: [file('own-1', 'notes.txt', '2026-02-01T08:00:00Z', { content: Buffer.from('my notes') })],
      [SITE_DRIVE]: [
        file('doc-1', 'roof-plan-1.txt', '2026-01-05T08:00:00Z'),
        { id: 'folder-1', name: 'Archive', parent_id: 'root', modified: '2026-01-06T08:00:00Z' },
        file('doc-2', 'roof-plan-2.docx', '2026-02-05T08:00:00.1234567Z', { content: docx, mime: WORD }),
        file('doc-3', 'budget.txt', '2026-02-06T08:00:00Z'),
        file('doc-4', 'old.txt', '2025-02-06T08:00:00Z', { parent_id: 'folder-1' }),
      ],
    },
    sites: [
      { id: SITE_ID, host: 'contoso.sharepoint.com', path: '/sites/roof', displayName: 'Roof', drive: SITE_DRIVE },
    ],
    people: [{ id: 'person-1', displayName: 'Roof Person' }],
    messages: [
      message('msg-1', 'Roof offer', '2026-02-01T10:00:00Z'),
      message('msg-3', 'Re: Roof offer', '2026-02-03T10:00:00Z'),
      message('msg-2', 'Re: Roof offer', '2026-02-02T10:00:00Z', { from: 'cleo@contoso.example' }),
      message('msg-4', 'Roof party', '2026-02-04T10:00:00Z', { conversationId: "thread-o'party", folder: 'archive' }),
    ],
    events: [
      {
        id: 'event-1',
        start: at('2026-03-02T09:00:00.0000000'),
        end: at('2026-03-02T10:00:00.0000000'),
        showAs: 'busy',
      },
      {
        id: 'event-2',
        start: at('2026-03-02T10:00:00.0000000'),
        end: at('2026-03-02T10:20:00.0000000'),
        showAs: 'tentative',
      },
      {
        id: 'event-3',
        start: at('2026-03-02T11:00:00.0000000'),
        end: at('2026-03-02T11:30:00.0000000'),
        showAs: 'free',
      },
    ],
    schedules: { 'ben@contoso.example': '00220000', 'cleo@contoso.example': '00002100' },
    channels: { [CHANNEL]: { displayName: 'General', messages: [teamsMessage('1'), teamsMessage('2')] } },
    chats: { '19:chat@unq.gbl.spaces': [] },
  }
}

const teamsMessage = (id: string): TeamsMessage => ({ id, body: { contentType: 'html', content: `<p>${id}</p>` } })
