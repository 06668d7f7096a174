// The calls that every test client makes, with every revision of MCP.
import assert from 'node:assert/strict';

export async function converse(client) {
  const names = [];
  let cursor;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    names.push(...page.tools.map((tool) => tool.name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  for (const name of ['list_yourself', 'check_status', 'match_capability', 'interop_resolve']) {
    assert.ok(names.includes(name), `${name} is not among ${names}`);
  }

  const found = await client.callTool({ name: 'search_active', arguments: { limit: 3, detail: 'full' } });
  assert.equal(found.structuredContent.ok, true);
  assert.deepEqual(JSON.parse(found.content[0].text), found.structuredContent);

  const absent = await client.callTool({ name: 'check_status', arguments: { id: 'agtpub_00000000000000000000' } });
  assert.equal(absent.isError, true);
  assert.equal(absent.structuredContent.code, 'listing_not_found');
  assert.equal(absent.structuredContent.next.action, 'find_listing');

  await assert.rejects(client.callTool({ name: 'nope', arguments: {} }), (error) => {
    assert.equal(error.code, -32602);
    assert.match(error.message, /Unknown tool: nope/);
    return true;
  });
}
